# Builds the vignette with the installed package, for an installation from the folder: Rscript tools/vignette.R
if (!requireNamespace("rmarkdown", quietly = TRUE) || !rmarkdown::pandoc_available()) {
  message("no vignette: it needs the package rmarkdown, and pandoc")
  quit(status = 1)
}
file <- grep("^--file=", commandArgs(), value = TRUE)
package <- normalizePath(file.path(dirname(sub("^--file=", "", file)), ".."))
source <- file.path(package, "vignettes", "karcher.Rmd")
folder <- file.path(package, "inst", "doc")
dir.create(folder, recursive = TRUE, showWarnings = FALSE)
rmarkdown::render(source, output_dir = folder, intermediates_dir = tempdir(), quiet = TRUE)
invisible(file.copy(source, folder, overwrite = TRUE))
knitr::purl(source, file.path(folder, "karcher.R"), quiet = TRUE)
