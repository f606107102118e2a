import type { Aggregate } from '../../../contract/evidence/aggregate.ts'
import type { ExtractionHealth } from '../../../contract/evidence/derivation.ts'
import { countWords, plural } from '../../../contract/words.ts'

/** Returns how the collections and the graph were made that answered; null where no row records it. */
export function ingestionWords({
  left_out: leftOut,
  extraction,
  contexts,
}: Pick<Aggregate, 'left_out' | 'extraction' | 'contexts'>): string | null {
  const parts = [
    ...(leftOut === undefined
      ? []
      : [
          `Documents: ${countWords(leftOut.without_vectors)} of ${countWords(leftOut.documents)} left out of the search, because a text of them could not be embedded; a new run tries again`,
        ]),
    ...(extraction === undefined ? [] : [extractionWords(extraction)]),
    ...(contexts === undefined
      ? []
      : [
          `Contexts: ${countWords(contexts.without_context)} of ${plural(contexts.chunks, 'chunk')} without one, because its call failed; a resumed run asks again`,
        ]),
  ]
  return parts.length === 0 ? null : parts.join('. ')
}

function extractionWords(extraction: ExtractionHealth): string {
  const { chunks_sent: sent, chunks_parsed: parsed, chunks_empty: empty } = extraction
  const { documents_without_entity: without, documents, items_dropped: dropped } = extraction
  const { chunks_refused: refused } = extraction
  return [
    `Graph extraction: ${plural(sent, 'chunk')} sent, ${countWords(parsed)} read (${countWords(empty)} of them without an entity), ${countWords(extraction.chunks_truncated)} cut at the length limit, ${countWords(refused)} unusable`,
    // A document ends with its first reply that cannot be used.
    ...(refused === 0
      ? []
      : [
          `${plural(refused, 'document')} of ${countWords(documents + refused)} not in the graph, a new run asks again`,
        ]),
    ...(dropped === 0 ? [] : [`${plural(dropped, 'entry', 'entries')} of the wrong form left out`]),
    ...(without === 0 ? [] : [`no entity in ${countWords(without)} of ${plural(documents, 'document')}`]),
  ].join('; ')
}
