def total(): return 35
