#!/bin/sh
# site_page.sh <page>: the page as doxygen reads it. Links to headings have ids that only later versions give them, pages
# of developers are not on the site, a picture beside its page may have another folder's name, and the files that pages
# name are in the site's own folder. A folder's name ends with a slash, or it is no link. The list of pages has no code
# in their titles.
folder=$(dirname "$1")/
folder=${folder##*/docs/}
sed -E '1s/`//g; s/\[([^]]*)\]\((#[^)]*|(CONTRIBUTING|SECURITY)\.md|CITATION\.cff)\)/\1/g; s/\]\(#[^)]*\)/]/g; s/(\]\([^)#]*)#[^)]*\)/\1)/g' "$1" |
  sed -E 's#\]\(([a-z]+)\)#](\1/)#g; s#\]\((\.\./)+((applications|bench|cmake|examples|include|packaging|python|src|tests)[/)])#](\2#g' |
  sed -E "s#\]\(((paradigms|patterns|star|timelines|plots)/)?([A-Za-z0-9_-]+\.(svg|png|cpp|hpp|trace))#]($folder\1\3#g; s#\]\((\.\./)+results/plots#](results/plots#g"
