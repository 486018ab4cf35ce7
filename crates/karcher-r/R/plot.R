# Pictures are the command's: the compiled half places their elements, and the device of R draws them.

plot.karcher_release <- function(x, file = NULL, stereonet = FALSE, ...) {
  chkDots(...)
  flag("stereonet", stereonet)
  show_picture("picture", list(json = x$json, stereonet = stereonet), file)
  invisible(x)
}

# The expected error against the number of records and the budget.
plot.karcher_plan <- function(x, file = NULL, ...) {
  chkDots(...)
  request <- x$request
  request$budget <- budget_of(x$budget)
  if (!is.null(request$fields$n_guess)) request$fields$n_guess <- x$n
  show_picture("plan_picture", c(request, list(n = x$n)), file)
  invisible(x)
}

# On the device, or in an SVG file.
show_picture <- function(action, request, file) {
  if (is.null(file)) return(draw_page(call_rust(action, request)))
  if (!is.character(file) || length(file) != 1 || !grepl("[.]svg$", file)) {
    refuse("file is no name that ends with .svg; for other files open a device first, such as png(\"mean.png\")")
  }
  writeLines(enc2utf8(call_rust(action, c(request, list(svg = TRUE)))), file, useBytes = TRUE)
}

# A page as large as the device allows: its marks are in pixels from the upper left corner.
draw_page <- function(page) {
  old <- graphics::par(mar = rep(0, 4), xaxs = "i", yaxs = "i")
  on.exit(graphics::par(old))
  graphics::plot.new()
  graphics::plot.window(c(0, page$width), c(page$height, 0), asp = 1)
  ends <- graphics::par("usr")
  inches <- graphics::par("pin")[1] / (ends[2] - ends[1])  # of a pixel
  for (panel in page$panels) {
    window <- panel$window %||% c(ends[1], ends[4], ends[2] - ends[1], ends[3] - ends[4])
    graphics::clip(window[1], window[1] + window[3], window[2] + window[4], window[2])
    for (mark in panel$marks) draw_mark(mark, inches)
  }
  do.call(graphics::clip, as.list(ends))
}

draw_mark <- function(mark, inches) {
  fill <- if (is.null(mark$fill)) NA else grDevices::adjustcolor(mark$fill, mark$opacity)
  if (mark$form == "text") {
    size <- mark$size * inches * 72 / (graphics::par("ps") * graphics::par("cex"))
    return(graphics::text(mark$x, mark$y, shown(mark$text), adj = c(0, 0), cex = size, col = fill))
  }
  line <- mark$line %||% NA
  width <- max((mark$line_width %||% 0) * inches * 96, 0.3)
  type <- if (mark$dashed) 2 else 1
  if (mark$form == "circle") {
    around <- seq(0, 2 * pi, length.out = if (mark$radius > 20) 181 else 37)
    mark[c("x", "y")] <- list(mark$x + mark$radius * cos(around), mark$y + mark$radius * sin(around))
    mark$closed <- TRUE
  }
  if (!mark$closed && is.na(fill)) return(graphics::lines(mark$x, mark$y, col = line, lwd = width, lty = type))
  graphics::polygon(mark$x, mark$y, col = fill, border = if (mark$closed) line else NA, lwd = width, lty = type)
}

# Letters that the standard fonts of these devices lack, in words.
shown <- function(text) {
  if (!names(grDevices::dev.cur()) %in% c("pdf", "postscript")) return(text)
  words <- c("\u03b5" = "epsilon", "\u03b4" = "delta", "\u03bc" = "mu", "\u03c1" = "rho", "\u03ba" = "kappa",
             "\u03b1" = "alpha", "\u2212" = "-", "\u2265" = ">=", "\u2264" = "<=", "\u2248" = "about", "\u2026" = "...",
             "\u2013" = "-")
  for (letter in names(words)) text <- gsub(letter, words[[letter]], text, fixed = TRUE)
  text
}
