import type { RagSource } from '../../../../contract/index.ts'
import type { NumberedPassage } from '../../models/prompts/agent-task.ts'
import { snippetOf } from '../response/snippet.ts'

/** A text that a tool found, with its place in the document where the tool knows it. */
export interface FoundPassage {
  document: string
  title: string
  text: string
  place: Pick<RagSource, 'chunk_index' | 'start_char' | 'end_char'>
}

/** The texts that were given to the agent in this request: each once, numbered in the order in which they came. */
export interface Notebook {
  /** Takes in what a tool found: what is new, and the numbers of what was there before. */
  add(found: readonly FoundPassage[]): { added: NumberedPassage[]; repeated: number[]; refused: number }
  passages(): readonly NumberedPassage[]
  /** The passages as evidence, in their order; the score falls with the place. */
  sources(): RagSource[]
}

/** An empty notebook for at most `limit` passages; a text that stands inside one of the same document is that one. */
export function createNotebook(limit: number): Notebook {
  const kept: FoundPassage[] = []
  const numbered = ({ title, text }: FoundPassage, at: number): NumberedPassage => ({ number: at + 1, title, text })
  return {
    add(found) {
      const added: NumberedPassage[] = []
      const repeated = new Set<number>()
      let refused = 0
      for (const passage of found) {
        const known = kept.findIndex(
          ({ document, text }) => document === passage.document && text.includes(passage.text),
        )
        if (known !== -1) repeated.add(known + 1)
        else if (kept.length >= limit) refused += 1
        else added.push(numbered(passage, kept.push(passage) - 1))
      }
      const fresh = new Set(added.map(({ number }) => number))
      return { added, repeated: [...repeated].filter((number) => !fresh.has(number)), refused }
    },
    passages: () => kept.map(numbered),
    sources: () =>
      kept.map(({ document, text, place }, at) => ({
        title: document,
        snippet: snippetOf(text),
        score: 1 / (at + 1),
        text,
        document,
        ...place,
      })),
  }
}
