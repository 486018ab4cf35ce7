x <- directions()

test_that("a release has the fields, the classes and the methods of its kind", {
  mean <- mean_of(x)
  expect_s3_class(mean, c("karcher_mean", "karcher_release"), exact = TRUE)
  expect_identical(mean$guarantee$epsilon, 1)
  expect_true("seeded" %in% mean$flags)
  expect_output(print(mean), "epsilon 1")
  expect_identical(as.data.frame(mean)$value, mean$value)
  expect_identical(summary(mean)$region, mean$region$radius)
  expect_lt(acos(sum(mean$value * colMeans(x)) / sqrt(sum(colMeans(x)^2))), 0.1)
})

test_that("releases without a seed differ and are not flagged", {
  once <- mean_of(x, random_state = NULL)
  expect_false(identical(once$value, mean_of(x, random_state = NULL)$value))
  expect_false("seeded" %in% once$flags)
})

test_that("results depend neither on the order of rows nor on threads", {
  expected <- mean_of(x)$value
  expect_identical(mean_of(x[nrow(x):1, ])$value, expected)
  for (threads in 1:3) expect_identical(mean_of(x, n_jobs = threads)$value, expected)
})

test_that("matrices, data frames and columns are the same records", {
  expected <- mean_of(x)$value
  table <- data.frame(person = "a", u = x[, 1], v = x[, 2], w = x[, 3])
  expect_identical(mean_of(table)$value, expected)
  expect_identical(mean_of(cbind(9, x), columns = 2:4)$value, expected)
  expect_identical(mean_of(table[c("w", "u", "v")], columns = c("u", "v", "w"))$value, expected)
})

test_that("the last index of an array is the record, and matrices are read by rows", {
  shapes <- array(rnorm(5 * 2 * 40), c(5, 2, 40))
  rows <- t(apply(shapes, 3, function(shape) as.vector(t(shape))))
  arguments <- list(manifold = "kendall:5", epsilon = 2, random_state = 3)
  of_array <- do.call(directional_mean, c(list(shapes), arguments))
  expect_identical(of_array$value, do.call(directional_mean, c(list(rows), arguments))$value)
  expect_identical(dim(of_array$value), c(5L, 2L))
})

test_that("a missing number is refused by its record, or replaced by the center", {
  x[c(17, 40), 2] <- NA
  refused(mean_of(x), "record 17: a number is missing (NA)", "karcher_invalid_point")
  replaced <- mean_of(x, on_invalid = "replace-with-center")
  x[c(17, 40), ] <- rep(c(0, 0, 1), each = 2)
  expect_identical(replaced$value, mean_of(x)$value)
})

test_that("a layout reads records and center, and writes the value", {
  cities <- cbind(latitude = rnorm(300, 30, 5), longitude = rnorm(300, 80, 5))
  mean <- frechet_mean(cities, "sphere:2", radius = 0.9, center = c(25, 80), epsilon = 1, layout = "latlon")
  expect_named(mean$written, c("latitude", "longitude"))
  expect_output(print(mean), "latitude [0-9.]+°, longitude [0-9.]+°")
  expect_equal(unname(mean$written), c(30, 80), tolerance = 0.1)
  refused(frechet_mean(cities, "sphere:2", radius = 0.9, center = c(0, 0, 1), epsilon = 1), "a record has 2 numbers")
})

test_that("names and axes that contradict the layout are refused", {
  there <- data.frame(longitude = rep(10, 50), latitude = rep(40, 50))
  mean <- function(x, ...) directional_mean(x, layout = "latlon", mu = 10, random_state = 1, ...)
  refused(mean(there), "the columns longitude, latitude of x contradict the layout latlon")
  refused(mean(as.matrix(there)), "columns = c(\"latitude\", \"longitude\")")
  expect_equal(mean(there[2:1])$written, mean(there, columns = c("latitude", "longitude"))$written)
  expect_length(mean(unname(as.matrix(there[2:1])))$written, 2)
  refused(frechet_mean(there[2:1], "sphere:2", radius = 0.5, center = c(longitude = 10, latitude = 40), epsilon = 1,
                       layout = "latlon"), "the columns longitude, latitude of center contradict")
  refused(frechet_mean(there[2:1], "sphere:2", radius = 0.5, center = c(longitude = 10, latitude = 40), epsilon = 1,
                       layout = "latlon"), "center[c(\"latitude\", \"longitude\")]")
  for (center in list(data.frame(longitude = 10, latitude = 40), cbind(longitude = 10, latitude = 40))) {
    arguments <- list(there[2:1], "sphere:2", radius = 0.5, epsilon = 1, layout = "latlon", random_state = 1)
    refused(do.call(frechet_mean, c(arguments, list(center = center))), "of center contradict")
    right <- do.call(frechet_mean, c(arguments, list(center = center[, 2:1])))
    expect_identical(right$value, do.call(frechet_mean, c(arguments, list(center = c(40, 10))))$value)
  }
  shapes <- array(rnorm(400), c(4, 2, 50))
  turned <- aperm(shapes, c(2, 1, 3))
  of <- function(x, ...) directional_mean(x, "kendall:4", mu = 10, random_state = 1, ...)
  refused(of(turned), "x, 2 x 4, contradict the layout interleaved, 4 x 2")
  refused(of(shapes, layout = "blocked"), "contradict the layout blocked, 2 x 4")
  expect_identical(of(turned, layout = "blocked")$value, of(shapes)$value)
  refused(frechet_mean(shapes, "kendall:4", radius = 0.5, center = t(shapes[, , 1]), epsilon = 1),
          "center, 2 x 4,")
  ball <- list(shapes, "kendall:4", radius = 0.5, epsilon = 1, random_state = 1)
  for (center in list(shapes[, , 1, drop = FALSE], list(shapes[, , 1]))) {
    expect_identical(do.call(frechet_mean, c(ball, list(center = center)))$value,
                     do.call(frechet_mean, c(ball, list(center = shapes[, , 1])))$value)
  }
  refused(do.call(frechet_mean, c(ball, list(center = shapes[, , 1:2]))), "center has 2 records")
})

test_that("rotations and complex matrices come back as they came", {
  turn <- matrix(c(cos(0.3), sin(0.3), 0, -sin(0.3), cos(0.3), 0, 0, 0, 1), 3)
  mean <- directional_mean(array(turn, c(3, 3, 50)), "rotations:3", mu = 1e6, layout = "matrices")
  expect_equal(mean$written, turn, tolerance = 1e-3)
  hermitian <- matrix(c(2, 1i, -1i, 2), 2)
  arguments <- list(manifold = "hpd-log-euclidean:2", radius = 3, center = diag(2) + 0i, mu = 1e6, random_state = 1)
  of_array <- do.call(frechet_mean, c(list(array(hermitian, c(2, 2, 50))), arguments))
  expect_equal(of_array$value, hermitian, tolerance = 1e-3)
  of_list <- do.call(frechet_mean, c(list(rep(list(hermitian), 50)), arguments))
  expect_identical(of_list$value, of_array$value)
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_silent(plot(of_array))
})

test_that("the spread is shown, and costs nothing unless it is asked for", {
  release <- mean_of(x, spread = TRUE)
  text <- format(release, details = TRUE)
  expect_match(sentence(release), "^The private Fr.chet mean of ")
  for (name in c("spread", "outside", "population", "clipping")) expect_match(text, paste0("\n", name, " "))
  expect_length(summary(mean_of(x, spread = TRUE))[c("spread", "fraction_outside")], 2)
  for (neither in list(1, "yes", NA)) refused(mean_of(x, spread = neither), "spread is neither TRUE nor FALSE")
  refused(mean_of(x, assume_in_ball = NA), "assume_in_ball is neither TRUE nor FALSE")
  expect_identical(stats::nobs(mean_of(x)), 500)
})

test_that("persons are protected where records have them", {
  mean <- mean_of(x, groups = rep(seq_len(100), each = 5))
  expect_identical(c(mean$unit, mean$n), c("person", "100"))
  refused(mean_of(x, groups = c(NA, 2:500)), "the person of record 1 is missing")
})

test_that("refusals are conditions with a sentence", {
  refused(frechet_mean(x, "sphere:2", radius = 0.8, center = c(0, 0, 1)), "budget is missing")
  refused(mean_of(x, mu = 1), "budget is given more than once")
  refused(frechet_mean(x, "sphere:2", center = c(0, 0, 1), epsilon = 1), "radius is missing")
  wide <- function() frechet_mean(x, "sphere:2", radius = 2, center = c(0, 0, 1), epsilon = 1)
  refused(wide(), "radius", "karcher_radius_too_large")
  refused(frechet_mean(x, "globe", radius = 1, epsilon = 1), "globe")
  refused(mean_of(x, n_guess = 5L), "adjacency = \"add-remove\"")
  refused(mean_of(x, columns = c("a", "b")), "x has no column a")
  refused(mean_of(x, columns = 2:4), "x has no column 4")
  refused(frechet_mean(rnorm(5), "euclidean:1", radius = 1, center = 0, epsilon = 1, columns = 1), "columns belongs to")
  expect_length(frechet_mean(tapply(1:50, 1:50, mean), "euclidean:1", radius = 30, center = 20, epsilon = 1)$value, 1)
  refused(mean_of("text"), "x holds no numbers")
  refused(frechet_mean(x), "manifold is missing")
  refused(mean_of(x, random_state = NA), "random_state is NA or not finite")
  refused(mean_of(x, mechanism = "karcher-flow", steps = 2.5), "expected a whole number")
  refused(mean_of(x, epsilon = Inf), "epsilon is NA or not finite")
  refused(ledger(tempfile()), "make a ledger with ledger(path, data", "karcher_ledger")
  refused(mean_of(x, on_invalid = "drop"), "on_invalid is not one of")
})

test_that("an interrupt ends a call at once, and the session goes on", {
  t <- seq(0, 1, length.out = 1500)
  y <- cbind(sin(t - 0.5), 0, cos(t - 0.5))
  long <- function() {  # a Markov chain of many seconds
    regress(t, y, "sphere:2", radius = 0.7, center = c(0, 0, 1), epsilon = 1, predictor_range = c(0, 1), slope_bound = 1,
            mechanism = "kng", numerics = "any", random_state = 1)
  }
  system(sprintf("(sleep 1; kill -INT %d)", Sys.getpid()), wait = FALSE)
  begin <- proc.time()[["elapsed"]]
  expect_identical(tryCatch(long(), interrupt = function(signal) "interrupted"), "interrupted")
  expect_lt(proc.time()[["elapsed"]] - begin, 5)
  expect_length(mean_of(x)$value, 3)
})

test_that("pictures are drawn", {
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  tensors <- array(diag(3), c(3, 3, 100))
  expect_silent(plot(mean_of(x)))
  expect_silent(plot(mean_of(x), stereonet = TRUE))
  tensor <- frechet_mean(tensors, "spd-log-euclidean:3", radius = 1, center = diag(3), epsilon = 1, random_state = 1)
  square <- directional_mean(array(rnorm(400), c(4, 2, 50)), "kendall:4", epsilon = 1, random_state = 1)
  plane <- frechet_mean(matrix(0, 50, 2), "euclidean:2", radius = 1, epsilon = 1, random_state = 1)
  for (one in list(tensor, square, plane)) expect_silent(plot(one))
  expect_silent(plot(plan("sphere:2", n = 100, radius = 0.9, epsilon = 1)))
  point <- c(1, 0, 0, 1, 2)
  product <- frechet_mean(matrix(point, 50, 5, byrow = TRUE), "spd-log-euclidean:2*euclidean:1", radius = 3,
                          center = point, epsilon = 1)
  refused(plot(product), "there are no pictures of means on spd-log-euclidean:2*euclidean:1")
})

test_that("a picture is that of the command, with its legend and its units", {
  file <- tempfile(fileext = ".svg")
  cities <- cbind(latitude = rnorm(300, 30, 5), longitude = rnorm(300, 80, 5))
  plot(frechet_mean(cities, "sphere:2", radius = 0.9, center = c(25, 80), epsilon = 1, layout = "latlon"), file = file)
  text <- paste(readLines(file, encoding = "UTF-8"), collapse = "\n")
  for (words in c("<svg", "class=\"coast\"", "public ball, radius 0.9 (51.57\u00b0)", "#0072b2")) {
    expect_true(grepl(words, text, fixed = TRUE), words)
  }
  plot(directional_mean(cbind(rnorm(300, 300, 8), rnorm(300, 60, 4)), epsilon = 1, layout = "declination-inclination"),
       file = file)
  expect_match(paste(readLines(file, encoding = "UTF-8"), collapse = "\n"), "equal-area net", fixed = TRUE)
  parts <- cbind(sand = rep(0.2, 100), silt = 0.3, clay = 0.5)
  named <- frechet_mean(parts, "simplex-aitchison:3", radius = 1, center = rep(1, 3) / 3, epsilon = 1,
                        columns = c("clay", "silt", "sand"))
  plot(named, file = file)
  expect_match(paste(readLines(file, encoding = "UTF-8"), collapse = "\n"), "clay", fixed = TRUE)
  refused(plot(mean_of(x), file = "mean.txt"), "ends with .svg")
})

test_that("each public group has a release, and all together one guarantee", {
  country <- rep(c("A", "B", "C"), length.out = 500)
  of <- function(..., levels = c("A", "B", "Atlantis")) {
    frechet_mean(x, "sphere:2", radius = 0.8, center = c(0, 0, 1), epsilon = 4, adjacency = "add-remove",
                 n_guess = 150, by = country, levels = levels, random_state = 1, ...)
  }
  groups <- of()
  expect_named(groups$releases, c("A", "B", "Atlantis"))
  expect_identical(groups$guarantee$epsilon, 4)
  expect_identical(groups$replace_one$epsilon, 8)
  found <- as.data.frame(groups)
  expect_identical(found$group, c("A", "B", "Atlantis"))
  expect_true(all(abs(found$records - c(167, 167, 0)) < 20))
  expect_output(print(groups), "of all groups together")
  # the records of a group alone make its release
  expect_identical(of(levels = "A")$releases$A$value, groups$releases$A$value)
  expect_s3_class(groups$releases$A, "karcher_mean")
  expect_identical(of(levels = factor(c("A", "B", "Atlantis")))$releases$B$value, groups$releases$B$value)
  refused(of(groups = rep(1:250, 2)), "there is no proof for both")
  refused(of(levels = c("A", "A")), "stands twice")
  refused(mean_of(x, by = country, levels = "A"), "add-remove")
  refused(mean_of(x, by = country), "by and levels belong together")
  refused(mean_of(x, by = country[1:5], levels = "A"), "its length is another")
  path <- tempfile(fileext = ".db")
  study <- ledger(path, data = "directions", adjacency = "add-remove", epsilon = 5)
  frechet_mean(x, "sphere:2", radius = 0.8, center = c(0, 0, 1), epsilon = 4, adjacency = "add-remove", n_guess = 150,
               by = country, levels = c("A", "B"), ledger = study)
  expect_equal(ledger(path)$left$epsilon, 1)  # counted once for all groups
})

test_that("a value that is mostly noise, and a second release without a ledger, are warned of", {
  few <- x[1:9, ]
  expect_message(mean_of(few, epsilon = 0.01), class = "karcher_mostly_noise")
  some <- x[1:77, ]
  expect_silent(mean_of(some, random_state = NULL))
  expect_warning(mean_of(some, random_state = NULL), class = "karcher_repeated")
  expect_silent(mean_of(some, random_state = NULL))  # once is enough
  other <- x[1:78, ]
  study <- ledger(tempfile(fileext = ".db"), data = "directions", epsilon = 5)
  for (i in 1:2) expect_silent(mean_of(other, random_state = NULL, ledger = study))
})

test_that("an extrinsic mean has its numbers in a table", {
  mean <- directional_mean(x, epsilon = 20, random_state = 1)
  found <- summary(mean)$directional
  expect_true(found$kappa_low < found$kappa && found$kappa < found$kappa_high)
  expect_true(found$low <= found$resultant_length && found$resultant_length <= found$high)
  expect_true(found$any_law95 > 0 && found$frechet_mean_within > 0 && found$statistic > 0)
  axes <- directional_mean(x, "projective:2", epsilon = 20, random_state = 1)
  laws <- summary(axes)$concentrations[[1]]
  expect_identical(laws$law, "bingham")
  expect_length(laws$values, 2)
  expect_length(laws$ellipse, 2)
})

test_that("no records are treated like one and two, where their number is protected", {
  of <- list(
    mean = function(x) mean_of(x, adjacency = "add-remove", n_guess = 20),
    directional = function(x) directional_mean(x, epsilon = 1, adjacency = "add-remove", n_guess = 20),
    line = function(x) {
      regress(seq_len(nrow(x)) / 4, x, "sphere:2", slope_bound = 0.5, predictor_range = c(0, 1), radius = 0.8,
              center = c(0, 0, 1), epsilon = 1, adjacency = "add-remove", n_guess = 20)
    }
  )
  said <- function(release, n) tryCatch(class(release(x[seq_len(n), , drop = FALSE])), error = conditionMessage)
  for (release in of) {
    expect_identical(said(release, 0), said(release, 2))
    expect_identical(said(release, 1), said(release, 2))
  }
})

test_that("a score counts what a model predicts right, one record at a time", {
  first <- c("red", "blue")[1 + (seq_len(400) %% 2)]
  labels <- replace(first, 1:40, "blue")  # a tenth of the right ones are wrong
  seen <- NULL
  model <- function(model, x) {
    seen <<- c(seen, nrow(x))
    if (x$i == 77) stop("a record is named")
    if (x$i == 78) warning("a record is named")
    first[x$i]
  }
  score <- function(...) {
    private_score(NULL, data.frame(i = 1:400), labels, ..., predict = model, epsilon = 1e6, random_state = 1)
  }
  expect_warning(found <- score(), "protects hardly anyone")
  expect_identical(unique(seen), 1L)
  right <- sum(first == labels) - 1
  expect_equal(found$score, right / 400, tolerance = 1e-4)
  table <- as.data.frame(found)
  expect_true(table$low <= found$score && found$score <= table$high)
  expect_warning(found <- score(metric = "confusion", labels = c("red", "blue")), "protects")
  is_known <- seq_along(first) != 77
  expected <- table(factor(labels[is_known], c("red", "blue")), factor(first[is_known], c("red", "blue")))
  expect_equal(unname(found$confusion), matrix(as.double(expected), 2), tolerance = 1e-3)
  expect_warning(found <- score(metric = "balanced-accuracy", labels = c("red", "blue")), "protects")
  shares <- diag(as.matrix(expected)) / as.vector(base::table(factor(labels, c("red", "blue"))))
  expect_equal(found$score, mean(shares), tolerance = 1e-3)
  refused(score(metric = "balanced-accuracy"), "labels")
  refused(score(metric = "r2"), "range")
  refused(private_score(NULL, 1:3, 1:2, epsilon = 1), "length")
})

test_that("a coefficient of determination is that of the numbers", {
  x <- matrix(seq(0, 1, length.out = 300))
  y <- as.vector(x) + rep(c(-0.1, 0.1), 150)
  model <- function(model, x) x[1, 1]
  expect_warning(found <- private_score(NULL, x, y, metric = "r2", range = c(-1, 2), predict = model, epsilon = 1e6,
                                        random_state = 1), "protects")
  expect_equal(found$score, 1 - sum((y - x)^2) / sum((y - mean(y))^2), tolerance = 1e-3)
})

test_that("a person counts once in a score", {
  person <- rep(1:100, each = 3)
  right <- rep(c(1, 0, 0), 100)
  model <- function(model, x) x
  expect_warning(found <- private_score(NULL, right, rep(1, 300), groups = person, predict = model, epsilon = 1e6,
                                        random_state = 1), "protects")
  expect_equal(nobs(found), 100)
  expect_equal(found$score, 1 / 3, tolerance = 1e-3)
})

test_that("budgets that protect hardly anyone are warned of, before anything is spent", {
  expect_warning(mean_of(x, epsilon = 11), "protects hardly anyone")
  expect_warning(mean_of(x, epsilon = NULL, mu = 8), "mu 8 protects hardly anyone")
  expect_warning(mean_of(x, delta = 0.01), "delta 0.01 is above 1/n = 1/500", fixed = TRUE)
  # of a person or a confidential number of records the number says nothing
  expect_silent(mean_of(x, delta = 0.003, groups = rep(1:250, 2)))
  expect_silent(mean_of(x))
})
