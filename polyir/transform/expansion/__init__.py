"""Where values are kept: private copies, single assignment, and back to less memory."""
