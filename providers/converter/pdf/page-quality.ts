import type { ParsedPage } from '@llamaindex/liteparse'
import type { UseOcr } from '../../../contract/http/conversion.ts'
import type { Block } from '../model/document.ts'

/**
 * A page's text is read in one of these ways: from its text layer, from its picture, or from the layer although it looks damaged (`damaged`) or although the page is
 * a picture with a few characters of text (`picture`), because recognition does not know the page's script.
 */
export type TextSource = 'layer' | 'recognition' | { kept: 'damaged' | 'picture' }

export function textSource({ complexity }: ParsedPage, text: string, useOcr: UseOcr): TextSource {
  if (useOcr !== 'auto') return useOcr === 'always' ? 'recognition' : 'layer'
  if (complexity === undefined) return 'layer'
  const { reasons, textLength, fullPageImage, imageCoverage } = complexity
  if (((fullPageImage || imageCoverage > 0.3) && textLength < 40) || reasons.includes('scanned'))
    return isRecognizable(text) ? 'recognition' : { kept: 'picture' }
  if (!reasons.includes('garbled')) return 'layer'
  if (isRecognizable(text)) return readsLikeWords(text) ? 'layer' : 'recognition'
  return unreadableShare(text) > MOST_UNREADABLE ? { kept: 'damaged' } : 'layer'
}

/** Share of unreadable characters among all that are not spaces. */
const MOST_UNREADABLE = 0.08
/** Texts of every script contain names and commands in Latin letters. */
const LEAST_LATIN = 0.8

const count = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0

function unreadableShare(text: string): number {
  const characters = count(text, /\S/gu)
  return characters === 0 ? 0 : count(text, /[\uFFFD\p{Co}\p{Cn}]/gu) / characters
}

/** The recognition data is English: what it makes of another script is nonsense, so a text layer in one is better than its picture. */
function isRecognizable(text: string): boolean {
  const letters = count(text, /\p{L}/gu)
  return letters === 0 || count(text, /\p{Script=Latin}/gu) / letters > LEAST_LATIN
}

/** The engine calls pages of code and symbols garbled too; text in a wrong alphabet has few words with a vowel. */
function readsLikeWords(text: string): boolean {
  const words = text.normalize('NFD').match(/[\p{L}\p{M}]{2,}/gu) ?? []
  return words.length > 20 && words.filter((word) => /[aeiouyæœøı]/i.test(word)).length > words.length * 0.8
}

/** A page that is a picture and was not recognized becomes a figure. */
export const pictures = ({ pageNum, width, height, complexity, textItems }: ParsedPage, useOcr: UseOcr): Block[] =>
  useOcr === 'never' && complexity?.fullPageImage === true && textItems.length === 0
    ? [
        {
          kind: 'figure',
          caption: null,
          image: null,
          place: { page: pageNum, box: { left: 0, top: 0, right: width, bottom: height } },
        },
      ]
    : []

/** The angle at which most of a page's text runs; null where it runs as usual. */
export function sidewaysAngle({ textItems }: ParsedPage): 90 | 180 | 270 | null {
  const letters = new Map<number, number>()
  for (const { rotation = 0, text } of textItems) {
    const angle = (((Math.round(rotation / 90) * 90) % 360) + 360) % 360
    letters.set(angle, (letters.get(angle) ?? 0) + text.length)
  }
  const total = [...letters.values()].reduce((sum, count) => sum + count, 0)
  const [angle, count] = [...letters].sort(([, a], [, b]) => b - a)[0] ?? [0, 0]
  return count > total * 0.6 && (angle === 90 || angle === 180 || angle === 270) ? angle : null
}

/** unread: a picture, and recognition is off. damaged, picture: the text layer was kept although it looks damaged, or although the page is a picture. doubtful: recognized, but unsurely. */
export type PageDoubt = 'unread' | 'damaged' | 'picture' | 'doubtful'

const SENTENCE: Record<PageDoubt, string> = {
  unread: 'a picture whose text was not read, because text recognition is off (use_ocr is never)',
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
