import type { ParsedPage } from '@llamaindex/liteparse'
import type { Block } from '../model/document.ts'

export type UseOcr = 'auto' | 'always' | 'never'

/** Whether a page's text has to be read from its picture. */
export function wantsOcr({ complexity, text }: ParsedPage, useOcr: UseOcr): boolean {
  if (useOcr !== 'auto') return useOcr === 'always'
  if (complexity === undefined) return false
  const { reasons, textLength, fullPageImage, imageCoverage } = complexity
  if (reasons.includes('garbled') && !readsLikeWords(text)) return true
  return ((fullPageImage || imageCoverage > 0.3) && textLength < 40) || reasons.includes('scanned')
}

/** The engine calls pages of code and symbols garbled too; text in a wrong alphabet has few words with a vowel. */
function readsLikeWords(text: string): boolean {
  const words = text.match(/\p{L}{2,}/gu) ?? []
  return words.length > 20 && words.filter((word) => /[aeiouy]/i.test(word)).length > words.length * 0.8
}

/** A page that is a picture and was not recognised is told as one. */
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
