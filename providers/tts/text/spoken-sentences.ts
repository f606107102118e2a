import { joinSounds, type Sound } from '../../kit/audio/sound.ts'

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

const PAUSE_SECONDS = 0.25
const KEPT_SILENCE_SECONDS = 0.05
const FADE_SECONDS = 0.005
const SILENCE = 0.004

/** Spoken sentences as one sound: the engines' own pauses are cut to a common length, and edges fade, so that no join clicks. */
export function joinSpeech(sentences: readonly Sound[]): Sound {
  return joinSounds(sentences.map(trimmed), PAUSE_SECONDS)
}

function trimmed({ samples, sampleRate }: Sound): Sound {
  const kept = Math.round(KEPT_SILENCE_SECONDS * sampleRate)
  const first = samples.findIndex((sample) => Math.abs(sample) > SILENCE)
  const last = samples.findLastIndex((sample) => Math.abs(sample) > SILENCE)
  const cut = first < 0 ? samples.slice(0, kept) : samples.slice(Math.max(0, first - kept), last + 1 + kept)
  const fade = Math.min(Math.round(FADE_SECONDS * sampleRate), cut.length >> 1)
  for (let i = 0; i < fade; i += 1) {
    const gain = 0.5 - 0.5 * Math.cos((Math.PI * (i + 0.5)) / fade)
    cut[i]! *= gain
    cut[cut.length - 1 - i]! *= gain
  }
  return { samples: cut, sampleRate }
}
