library(testthat)
library(karcher)

test_check("karcher")
