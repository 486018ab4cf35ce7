set.seed(3)
people <- data.frame(age = runif(4000, 20, 80), sex = sample(c("F", "M"), 4000, TRUE))
people$height <- ifelse(people$sex == "F", 164, 176) + rnorm(4000, 0, 3)
ranges <- list(age = c(20, 80), sex = c("F", "M"))

fitted <- function(formula, data = people, ..., random_state = 1) {
  regress(formula, data, "euclidean:1", radius = 40, center = 170, mu = 1, ranges = ranges,
          random_state = random_state, ...)
}

test_that("a formula names the terms of the library", {
  terms <- function(formula) unlist(fitted(formula)$spec$features)
  expect_identical(terms(height ~ age + sex), c("linear:age:20:80", "levels:sex:F,M"))
  expect_identical(terms(height ~ poly(age, 3)), "poly:age:20:80:3")
  product <- "product:linear:age:20:80*levels:sex:F,M"
  expect_identical(terms(height ~ age * sex), c("linear:age:20:80", "levels:sex:F,M", product))
  expect_identical(terms(height ~ age * sex + spline(age, 4))[3], "spline:age:20:80:4")
  expect_identical(terms(height ~ 1), NULL)
})

test_that("products are those of lm, with their parts", {
  at <- data.frame(age = c(20, 80, 20, 80), sex = c("F", "F", "M", "M"), arm = c("a", "a", "b", "b"))
  people$arm <- rep(c("a", "b"), 2000)
  people$height <- people$height + 0.2 * people$age * (people$sex == "M") + 5 * (people$arm == "b")
  own <- function(formula) {
    regress(formula, people, "euclidean:1", radius = 60, center = 170, mu = 1e4, random_state = 1,
            ranges = c(ranges, list(arm = c("a", "b"))))
  }
  for (formula in list(height ~ age * sex, height ~ age * sex * arm, height ~ (age + sex)^2)) {
    expect_lt(max(abs(predict(own(formula), at) - stats::predict(stats::lm(formula, people), at))), 0.01)
  }
  refused(own(height ~ age:sex), "age:sex is there without its parts: write age * sex")
  refused(own(height ~ arm:age + age), "without its parts")
  refused(own(height ~ age - 1), "no constant")
  refused(own(height ~ poly(log(age), 2)), "poly(x, degree)")
  k <- 2
  refused(own(height ~ poly(age, k)), "with a number")
  refused(regress(height ~ ., list(height = 1), "euclidean:1", radius = 40, center = 170, mu = 1), "has a dot")
})

test_that("there is a predictor for each record", {
  twice <- runif(8000, 20, 80)
  none <- numeric(0)
  half <- twice[1:2000]
  on <- function(formula) {
    ranges <- list(age = c(20, 80), twice = c(20, 80), half = c(20, 80), none = c(20, 80))
    regress(formula, people, "euclidean:1", radius = 40, center = 170, mu = 1, ranges = ranges)
  }
  refused(on(height ~ twice), "twice has not as many rows as there are records")
  refused(on(height ~ age + half), "half has not as many rows")
  refused(on(height ~ none), "none has not as many rows")
  refused(regress(matrix(0.1, 2000, 2), people$height, "euclidean:1", radius = 40, center = 170, mu = 1),
          "x has not as many rows")
  refused(regress(height ~ age, people, "euclidean:1", radius = 40, center = 170, mu = 1, ranges = ranges,
                  predictor_range = c(20, 80)), "predictor_range belongs to a geodesic")
})

test_that("a prediction is missing where a predictor is, and only known levels are asked for", {
  fit <- fitted(height ~ age + sex)
  at <- data.frame(age = c(30, NA, 60, 30), sex = c("F", "M", NA, "F"))
  found <- predict(fit, at, region = TRUE)
  expect_identical(is.na(found$fit), c(FALSE, TRUE, TRUE, FALSE))
  expect_identical(is.na(found$region), is.na(found$fit))
  expect_identical(found$fit[1], found$fit[4])
  expect_identical(found$fit[1], predict(fit, at[1, ]))
  refused(predict(fit, data.frame(age = 30, sex = "Q")), "newdata has Q for sex: its levels are F, M, other")
  sex <- "F"
  refused(predict(fit, data.frame(age = 30)), "newdata has no column sex")
  refused(predict(fit, 30), "newdata is no data frame")
  expect_warning(high <- predict(fit, data.frame(age = 300, sex = "F")), "outside of 20 to 80: 1")
  expect_identical(high, predict(fit, data.frame(age = 80, sex = "F")))
})

test_that("new data of any form are asked for as they are named", {
  fit <- fitted(height ~ age + sex)
  expect_length(predict(fit, people[0, ]), 0)
  at <- list(id = "x", age = c(30, 40), sex = c("F", "M"))
  expect_identical(predict(fit, at), predict(fit, data.frame(age = c(30, 40), sex = c("F", "M"))))
  missing <- predict(fit, data.frame(age = NA, sex = "F"), region = TRUE)
  expect_identical(missing, list(fit = NA_real_, region = NA_real_))
  refused(predict(fit, at, region = NA), "region is neither TRUE nor FALSE")
  features <- cbind(1, (people$age - 50) / 30, people$sex == "M") / sqrt(3)
  matrix <- regress(features, people$height, "euclidean:1", radius = 40, center = 170, mu = 1, random_state = 2)
  expect_identical(predict(matrix, features[1, ]), predict(matrix, features[1, , drop = FALSE]))
  refused(predict(matrix, features[, 1:2]), "newdata has 2 columns, and the regression has 3 predictors")
  expect_identical(dim(as.data.frame(matrix)), c(3L, 2L))
  constant <- fitted(height ~ 1)
  expect_lt(abs(predict(constant, data.frame(x = 1:2))[2] - 170), 3)
  expect_identical(dim(as.data.frame(constant)), c(1L, 2L))
})

test_that("numbers are levels as they are written", {
  people$site <- ifelse(people$sex == "F", 100000, 200001)
  own <- function(data) {
    regress(height ~ site, data, "euclidean:1", radius = 40, center = 170, mu = 100, random_state = 1,
            ranges = list(site = c("100000", "200001")))
  }
  fit <- own(people)
  expect_lt(abs(as.data.frame(fit)$distance - 12), 0.5)
  expect_identical(as.data.frame(fit), as.data.frame(own(transform(people, site = as.integer(site)))))
  expect_length(unique(predict(fit, people[1:50, ])), 2)
})

test_that("many predictors with hardly any noise make a release that is read again", {
  some <- people[1:1000, ]
  some$arm <- rep(c("a", "b", "c", "a"), 250)
  some$ok <- rep(c(TRUE, FALSE), 500)
  some$w <- some$age / 60 - 1
  all <- c(ranges, list(arm = c("a", "b", "c"), ok = c("FALSE", "TRUE"), w = c(-1, 1)))
  fit <- regress(height ~ age + w + sex + arm + ok, some, "euclidean:1", radius = 200, center = 120, mu = 1e6,
                 ranges = all, random_state = 1)
  expect_true(is.finite(fit$expected_distance))
  expect_length(predict(fit, some[1:3, ]), 3)
})

test_that("predictions have the form of the responses", {
  shapes <- array(c(0, 0, 1, 1, 0, 1, 1, 0) + rnorm(32000, 0, 0.05), c(4, 2, 4000))
  square <- (cbind(c(0, 0, 1, 1), c(0, 1, 1, 0)) - 0.5) / sqrt(2)
  own <- function(y) {
    regress(y ~ age, people, "kendall:4", radius = 0.5, center = square, mu = 100, ranges = ranges, random_state = 1)
  }
  of_array <- predict(own(shapes), data.frame(age = c(30, NA)))
  expect_identical(dim(of_array), c(4L, 2L, 2L))
  expect_lt(max(abs(of_array[, , 1] - square)), 0.05)
  expect_true(all(is.na(of_array[, , 2])))
  rows <- t(apply(shapes, 3, function(shape) as.vector(t(shape))))
  expect_identical(predict(own(rows), data.frame(age = 30)), matrix(t(of_array[, , 1]), 1))
})

test_that("effects and predictions are near those of least squares", {
  fit <- fitted(height ~ age + sex)
  least <- stats::lm(height ~ age + sex, people)
  at <- data.frame(age = c(30, 60), sex = c("F", "M"))
  expect_lt(max(abs(predict(fit, at) - stats::predict(least, at))), 1.5)  # the error expected is 0.2
  expect_lt(abs(as.data.frame(fit)$distance[2] - stats::coef(least)[["sexM"]]), 1.5)
  expect_length(predict(fit, at, region = TRUE)$region, 2)
})

test_that("ranges are public: levels of a factor do not count, and none are guessed", {
  people$sex <- factor(people$sex)
  refused(regress(height ~ sex, people, "euclidean:1", radius = 40, center = 170, mu = 1), "ranges has no sex")
  expect_identical(as.data.frame(fitted(height ~ sex)),
                   as.data.frame(fitted(height ~ sex, transform(people, sex = as.character(sex)))))
  refused(fitted(height ~ age, transform(people, age = factor(age))), "age is of class factor")
  refused(fitted(height ~ log(age)), "the formula has log(age)")
  refused(regress(height ~ scale(age), people, "euclidean:1", radius = 40, center = 170, mu = 1, slope_bound = 1,
                  predictor_range = c(-3, 3)), "name it alone")
})

test_that("a missing covariate is refused by its record, or is the middle of its range", {
  people$age[5] <- NA
  refused(fitted(height ~ age, people), "record 5: a covariate is missing")
  replaced <- fitted(height ~ age, people, on_invalid = "replace-with-center")
  people$age[5] <- 50
  expect_equal(unlist(replaced$coefficients), unlist(fitted(height ~ age, people)$coefficients))
})

test_that("a geodesic is fitted to one predictor, by formula and by matrices", {
  turn <- (people$age - 50) / 60
  y <- cbind(sin(turn), 0, cos(turn))
  arguments <- list(manifold = "sphere:2", radius = 0.8, center = c(0, 0, 1), epsilon = 2, random_state = 4,
                    predictor_range = c(20, 80), slope_bound = 1.2)
  by_formula <- do.call(regress, c(list(y ~ age, people), arguments))
  by_matrix <- do.call(regress, c(list(people$age, y), arguments))
  expect_identical(by_formula$footpoint, by_matrix$footpoint)
  expected <- cbind(sin(c(-0.5, 0, 0.5)), 0, cos(c(-0.5, 0, 0.5)))
  expect_lt(max(abs(predict(by_formula, data.frame(age = c(20, 50, 80))) - expected)), 0.15)
  expect_identical(predict(by_formula, c(20, NA, 80))[c(1, 3), ], predict(by_formula, c(20, 80)))
  expect_true(all(is.na(predict(by_formula, c(20, NA, 80))[2, ])))
  refused(predict(by_formula, 50, region = TRUE), "a geodesic has no regions")
  expect_identical(predict(by_matrix, c(20, 50, 80)), predict(by_formula, data.frame(age = c(20, 50, 80))))
})

test_that("a matrix is a row of features a record", {
  features <- cbind(1, (people$age - 50) / 30, people$sex == "M") / sqrt(3)
  fit <- regress(features, people$height, "euclidean:1", radius = 40, center = 170, mu = 1, random_state = 2)
  expect_identical(fit$spec$features$matrix, 3)
  expect_lt(abs(predict(fit, rbind(c(1, 0, 1)) / sqrt(3)) - 176), 2)
})

test_that("covariance matrices depend on a predictor", {
  tensors <- array(vapply(people$age, function(age) diag(exp(c(age / 80, 0))), diag(2)), c(2, 2, 4000))
  fit <- regress(tensors ~ age, people, "spd-log-euclidean:2", radius = 1.5, center = diag(2), mu = 1, ranges = ranges)
  predicted <- predict(fit, data.frame(age = c(40, 80)))
  expect_identical(dim(predicted), c(2L, 2L, 2L))
  expect_equal(log(predicted[1, 1, ]), c(0.5, 1), tolerance = 0.2)
})
