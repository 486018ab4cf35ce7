# Directions near the pole, the same in every run.
directions <- function(n = 500) {
  set.seed(7)
  x <- cbind(rnorm(n, 0, 0.2), rnorm(n, 0, 0.2), 1)
  x / sqrt(rowSums(x^2))
}

# A release with public parameters that suit these.
mean_of <- function(x, ..., epsilon = 1, random_state = 1) {
  frechet_mean(x, "sphere:2", radius = 0.8, center = c(0, 0, 1), epsilon = epsilon, random_state = random_state, ...)
}

refused <- function(call, words, class = "karcher_error") {
  error <- tryCatch({
    force(call)
    NULL
  }, error = identity)
  testthat::expect_s3_class(error, class)
  testthat::expect_s3_class(error, "karcher_error")
  testthat::expect_match(conditionMessage(error), words, fixed = TRUE)
}
