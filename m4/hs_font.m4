dnl HS_WITH_FONT: the font that pictures are set in and that becomes a part of the program.
AC_DEFUN([HS_WITH_FONT], [
  AC_ARG_WITH([font], [AS_HELP_STRING([--with-font=FILE],
      [TrueType or OpenType font of the pictures @<:@DejaVu Sans, which comes with heatsolve@:>@])], [], [with_font=yes])
  AS_CASE([$with_font],
    [yes], [HS_PICTURE_FONT='$(top_srcdir)/src/output/picture/font/DejaVuSans.ttf'],
    [no], [AC_MSG_ERROR([pictures need a font: leave --without-font out])],
    [/*], [HS_PICTURE_FONT=$with_font],
    [HS_PICTURE_FONT=`pwd`/$with_font])
  AS_IF([test "x$with_font" != xyes && test ! -s "$HS_PICTURE_FONT"],
    [AC_MSG_ERROR([--with-font: there is no font $HS_PICTURE_FONT])])
  AC_SUBST([HS_PICTURE_FONT])
])
