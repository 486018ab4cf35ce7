# Seeded releases are the same to the last bit in R and in Python: both compare themselves with one table.
golden <- jsonlite::fromJSON("golden.json", simplifyMatrix = TRUE, simplifyDataFrame = FALSE)

released <- function(case) {
  rows <- golden$records[[case$records]]
  rows <- rows[rep(seq_len(nrow(rows)), golden$times), , drop = FALSE]
  persons <- if (isTRUE(case$persons)) rep(seq_len(nrow(rows) / 2), each = 2)
  arguments <- c(case$arguments, list(groups = persons))
  if (case[["function"]] != "regress") return(do.call(case[["function"]], c(list(rows), arguments))$value)
  predictors <- rep(golden$predictors, golden$times)
  if (!is.null(case$arguments$slope_bound)) {
    made <- do.call(regress, c(list(predictors, rows), arguments))
    return(c(made$footpoint, made$shooting_vector))
  }
  unlist(do.call(regress, c(list(cbind(1, predictors) / 2, rows), arguments))$coefficients)
}

for (case in golden$cases) {
  test_that(paste("seeded releases have the bits of the shared table:", case$name), {
    value <- released(case)
    expect_identical(if (is.matrix(value)) as.vector(t(value)) else value, case$value)
  })
}
