import { plural } from '../../contract/words.ts'
import type { RagSource } from '../../contract/evidence/rag-extension.ts'

/** A passage as a person reads it. */
export interface ShownPassage {
  name: string
  text: string
}

/** Document or title of a source, and its text, or as much of it as there is. */
export const shownPassage = ({ document, title, text, snippet }: RagSource): ShownPassage => ({
  name: document ?? title,
  text: text ?? snippet,
})

/** Returns true when a person is shown the passages that an engine reports as used: there are some, and no source has a text to show. */
export const restsOnUsedPassages = (sources: readonly { text: string }[], used: readonly unknown[]): boolean =>
  used.length > 0 && sources.every(({ text }) => text.trim() === '')

export const usedPassageCount = (count: number): string => `${plural(count, 'passage')} that the engine reports as used`
