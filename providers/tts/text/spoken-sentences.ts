const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' })

/** Endings after which a dot ends no sentence, although a capital letter may follow. */
const ABBREVIATION = /\b(?:Dr|Mr|Mrs|Ms|Prof|St|Jr|Sr|vs|etc|e\.g|i\.e|No|Fig|Inc|Ltd|[A-Z])\.\s*$/

/** Sentences of at most `maxCharacters`, in order and without loss; a longer one is split at a clause, then at a space. */
export function splitSentences(text: string, maxCharacters: number): string[] {
  const sentences: string[] = []
  let open = ''
  for (const { segment } of segmenter.segment(text)) {
    open += segment
    if (ABBREVIATION.test(open)) continue
    sentences.push(open)
    open = ''
  }
  sentences.push(open)
  return sentences
    .map((sentence) => sentence.replace(/\s+/g, ' ').trim())
    .filter((sentence) => sentence !== '')
    .flatMap((sentence) => splitLong(sentence, maxCharacters))
}

function splitLong(sentence: string, maxCharacters: number): string[] {
  const pieces: string[] = []
  let rest = sentence
  while (rest.length > maxCharacters) {
    const window = rest.slice(0, maxCharacters + 1)
    const clause = Math.max(window.lastIndexOf(', '), window.lastIndexOf('; '), window.lastIndexOf(': ')) + 1
    const space = window.lastIndexOf(' ')
    const at = clause > maxCharacters / 3 ? clause : space > 0 ? space : maxCharacters
    pieces.push(rest.slice(0, at).trim())
    rest = rest.slice(at).trim()
  }
  return rest === '' ? pieces : [...pieces, rest]
}
