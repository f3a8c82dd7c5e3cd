"""Random small programs: every schedule is legal, every flag true, whatever the policy."""

from __future__ import annotations

import sys
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
