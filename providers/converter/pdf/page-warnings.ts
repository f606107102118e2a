/** damaged, picture: the text layer was kept although it looks damaged, or although the page is a picture. doubtful: recognized, but unsurely. */
export type PageDoubt = 'damaged' | 'picture' | 'doubtful'

const SENTENCE: Record<PageDoubt, string> = {
  damaged: 'the text layer looks damaged and was kept, because text recognition is installed for English only',
  picture: 'only the text layer was read, not the picture, because text recognition is installed for English only',
  doubtful:
    'text recognition is unsure of the words: it is installed for English only, and the page may be in another language or badly printed',
}

/** Pages that one warning names. */
const MOST_NAMED = 20

/** One sentence for each kind of doubt, naming its pages. */
export function pageWarnings(doubts: ReadonlyMap<number, PageDoubt>): string[] {
  return (Object.keys(SENTENCE) as PageDoubt[]).flatMap((doubt) => {
    const pages = [...doubts].filter(([, each]) => each === doubt).map(([page]) => page)
    return pages.length === 0 ? [] : [`${pageList(pages)}: ${SENTENCE[doubt]}`]
  })
}

function pageList(pages: readonly number[]): string {
  const named = pages.slice(0, MOST_NAMED).join(', ')
  const rest = pages.length > MOST_NAMED ? ` and ${pages.length - MOST_NAMED} more` : ''
  return `${pages.length === 1 ? 'page' : 'pages'} ${named}${rest}`
}
