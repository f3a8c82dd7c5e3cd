domain: "{ S0[i, j]; S1[i, j, k] }"
child:
  sequence:
  - filter: "{ S0[i, j] }"
    child:
      schedule: "[{ S0[i, j] -> [j] }, { S0[i, j] -> [i] }]"
  - filter: "{ S1[i, j, k] }"
    child:
      schedule: "[{ S1[i, j, k] -> [j] }, { S1[i, j, k] -> [i] }, { S1[i, j, k] -> [k] }]"
