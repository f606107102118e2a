/** Switch of a browser whose pages live for seconds: a page is closed by the time that optimizing its code would have paid. */
export const SHORT_LIVED_PAGES = '--js-flags=--no-opt --no-maglev'
