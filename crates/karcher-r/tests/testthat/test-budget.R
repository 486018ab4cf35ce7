test_that("plans find the mechanism, the number of records and epsilon", {
  planned <- plan("sphere:2", n = 100, radius = 0.9, epsilon = 1)
  expect_identical(planned$best, "chart")
  expect_output(print(planned), "best +chart")
  best <- min(summary(planned)$expected_distance)
  needed <- plan("sphere:2", radius = 0.9, epsilon = 1, error = best)
  expect_true(needed$n %in% 99:101)
  expect_equal(plan("sphere:2", n = 100, radius = 0.9, error = best)$budget$epsilon, 1, tolerance = 1e-3)
  refused(plan("sphere:2", radius = 0.9, epsilon = 1), "n is missing")
  refused(plan("sphere:2", n = 100.5, radius = 0.9, epsilon = 1), "n is 100.5: expected a whole number")
  rows <- format(plan("spd-affine-invariant:3", n = 100, radius = 0.9, epsilon = 1))[-(1:2)]
  expect_true(all(substr(rows, 27, 27) %in% c("", " ")))  # columns
})

test_that("each statistic that a ball is enough for is planned by its word", {
  names <- unlist(call_rust("statistics", list()))
  expect_true(all(c("mean", "median", "ball", "variance", "extrinsic-mean") %in% names(names)))
  for (word in names(names)) {
    radius <- if (word != "extrinsic-mean") 0.9
    space <- if (word == "covariance") "euclidean:2" else "sphere:2"
    planned <- plan(space, n = 1000, radius = radius, mu = 1, statistic = word)
    expect_true(planned$best %in% summary(planned)$mechanism, info = word)
  }
  refused(plan("sphere:2", n = 10, radius = 0.9, mu = 1, statistic = "extrinsic-mean"), "radius does not go with")
  refused(plan("sphere:2", n = 10, radius = 0.9, mu = 1, statistic = "frechet-mean"), "statistic is not one of")
})

test_that("regressions are planned as they are released", {
  ranges <- list(age = c(20, 80), sex = c("F", "M"))
  planned <- plan("euclidean:1", n = 4000, radius = 40, mu = 1, statistic = "regression", formula = ~ age + sex,
                  ranges = ranges)
  people <- data.frame(age = rep(c(20, 80), 2000), sex = rep(c("F", "M"), each = 2000), height = 170)
  fit <- regress(height ~ age + sex, people, "euclidean:1", radius = 40, center = 170, mu = 1, ranges = ranges,
                 random_state = 1)
  expected <- summary(planned)
  expect_identical(planned$best, fit$mechanism)
  expect_equal(expected$expected_distance[expected$mechanism == fit$mechanism], fit$expected_distance)
  line <- plan("sphere:2", n = 4000, radius = 0.8, epsilon = 1, statistic = "regression", slope_bound = 1.2)
  expect_true(line$best %in% summary(line)$mechanism)
  needed <- plan("euclidean:1", radius = 40, mu = 1, statistic = "regression", formula = ~ age, ranges = ranges,
                 error = 0.5)
  expect_gt(needed$n, 10)
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_silent(plot(planned))
  refused(plan("sphere:2", n = 10, radius = 0.8, epsilon = 1, statistic = "regression"), "formula is missing")
  refused(plan("sphere:2", n = 10, radius = 0.8, epsilon = 1, slope_bound = 1), "belong to statistic = \"regression\"")
})

test_that("noise on a line is that of the formula", {
  noise <- calibrate("euclidean:1", sensitivity = 0.1, mechanism = "laplace", epsilon = 2)
  expect_equal(c(noise$scale, noise$expected_distance), c(0.05, 0.05), tolerance = 1e-6)
  expect_equal(noise$quantile_95, 0.05 * log(20), tolerance = 1e-4)  # the quantile is rounded up
  expect_equal(calibrate("euclidean:1", 0.1, "gaussian", mu = 0.5)$scale, 0.2, tolerance = 1e-6)
  refused(calibrate("euclidean:1", 0.1, "laplace", epsilon = 1, scale = 1), "not both")
})

test_that("budgets add up", {
  expect_equal(compose(budget(epsilon = 0.25), budget(epsilon = 0.5))$epsilon, 0.75)
  expect_equal(compose(budget(mu = 3), budget(mu = 4))$mu, 5, tolerance = 1e-9)
  epsilon <- compose(budget(mu = 1), delta = 1e-6)$epsilon
  expect_equal(stats::pnorm(-epsilon + 0.5) - exp(epsilon) * stats::pnorm(-epsilon - 0.5), 1e-6, tolerance = 1e-3)
  expect_output(print(budget(epsilon = 1, delta = 1e-6)), "epsilon")
  refused(compose(), "there are no guarantees")
  refused(budget(delta = 1e-6), "a \u03b4 alone is no budget")
})

test_that("releases add up for what they protect", {
  x <- directions()
  drawn <- function(...) mean_of(x, random_state = NULL, ...)
  once <- drawn()
  both <- compose(once, drawn())
  expect_equal(both$epsilon, 2)
  expect_identical(compose(first = once, second = drawn())$text, both$text)
  expect_equal(compose(a = budget(epsilon = 1), b = budget(epsilon = 2))$epsilon, 3)
  expect_output(print(both), "one record replaced by any other")
  # one record added and one removed
  expect_equal(compose(once, drawn(adjacency = "add-remove", n_guess = 500))$epsilon, 3)
  refused(compose(once, drawn(groups = rep(1:100, 5))), "for records and for persons have no sum")
  refused(compose(once, mean_of(x)), "a release with a seed has no guarantee")
  refused(compose(once, budget(epsilon = 1)), "releases and budgets have no sum")
})

test_that("a ledger counts releases and refuses what is too much", {
  path <- tempfile(fileext = ".db")
  study <- ledger(path, data = "directions", epsilon = 1)
  x <- directions()
  mean <- mean_of(x, epsilon = 0.75, random_state = NULL, ledger = study)
  expect_identical(mean$ledger$entry, 1)
  expect_equal(ledger(path)$left$epsilon, 0.25)
  refused(mean_of(x, epsilon = 0.5, random_state = NULL, ledger = path), "0.25", "karcher_budget")
  expect_identical(as.data.frame(study)$status, c("released", "refused"))
  expect_output(print(study), "directions: epsilon = 0.25 left of epsilon = 1")
  refused(mean_of(x, ledger = study), "random_state does not go with a ledger")
  refused(ledger(path, data = "again", epsilon = 1), "exists", "karcher_ledger")
})

test_that("a report is a page that names its releases", {
  file <- report(north = mean_of(directions()), file = tempfile(fileext = ".html"), title = "Directions")
  page <- paste(readLines(file, encoding = "UTF-8"), collapse = "\n")
  expect_true(grepl("<title>Directions", page, fixed = TRUE))
  expect_true(grepl("Private mean on sphere:2", page, fixed = TRUE))
  refused(report(mean_of(directions()), file = file), "overwrite = TRUE")
  refused(report(1, file = file), "give one or more")
})
