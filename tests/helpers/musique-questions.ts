import { randomFrom } from './random.ts'
import { shortDocuments } from './short-documents.ts'

const NAMES =
  'Ames Brand Carver Dahl Ekman Frost Gray Holm Irving Jarl Kessel Lund Moore Nash Orme Pryce Quist Roth Stone Thorn'.split(
    ' ',
  )
const TOWNS = 'Alder Birch Cedar Dune Elm Fern Glen Heath Isle Juniper Knoll Larch Marsh North Oak Pine'.split(' ')
/** Paragraphs of a question in the published sets. */
const PARAGRAPHS = 20

interface Paragraph {
  idx: number
  title: string
  paragraph_text: string
  is_supporting: boolean
}

/** The steps of a question: each names what the next one is about. */
const stepsOf = (lock: string, keeper: string, teacher: string, town: string, river: string) => [
  { title: lock, text: `${lock} was opened in 1888. Its keeper is ${keeper}, who lives beside the upper gate.` },
  { title: keeper, text: `${keeper} was a sailmaker first. ${keeper} was trained by ${teacher} for seven years.` },
  { title: teacher, text: `${teacher} wrote two books about knots and was born in ${town}.` },
  { title: town, text: `${town} has a market on Fridays. The town lies on the ${river}.` },
]
const QUERIES = [
  (lock: string) => `Who trained the keeper of ${lock}?`,
  (lock: string) => `Where was the teacher of the keeper of ${lock} born?`,
  (lock: string) => `On which river lies the town where the teacher of the keeper of ${lock} was born?`,
]

/**
 * Invented questions of two to four hops in MuSiQue's form, each with 20 paragraphs of which its hops support the answer and the others distract:
 * paragraphs of other questions, and short texts that no question is about. One JSON object a line; equal for equal numbers and seeds.
 */
export function musiqueQuestions(count: number, seed = 1): string {
  const random = randomFrom(seed)
  const below = (limit: number): number => Math.floor(random() * limit)
  const fillers = [...shortDocuments(count * 4, seed)].map(({ text }) => {
    const [title, ...lines] = text.split('\n')
    return { title: title!.replace(/^# /, ''), text: lines.join(' ').trim() }
  })
  const chains = Array.from({ length: count }, (_, at) => {
    const name = (offset: number): string => `${NAMES[(at * 3 + offset) % NAMES.length]!} ${NAMES[at % 7]!} ${at}`
    const town = `${TOWNS[at % TOWNS.length]!}ford ${at}`
    const lock = `${TOWNS[(at * 5 + 2) % TOWNS.length]!} Lock ${at}`
    return { lock, steps: stepsOf(lock, name(0), name(1), town, `river ${NAMES[(at * 11) % NAMES.length]!}wash ${at}`) }
  })
  return chains
    .map(({ lock, steps }, at) => {
      const hops = 2 + (at % QUERIES.length)
      const supporting = steps.slice(0, hops)
      const answers = [steps[2]!.title, steps[3]!.title, /the (river .*)\.$/.exec(steps[3]!.text)![1]!]
      const others = Array.from({ length: PARAGRAPHS - hops }, (_unused, number) => {
        if (number >= 5) return fillers[below(fillers.length)]!
        // Another question's paragraph: it has the same words, and is wrong.
        const other = chains[(at + 1 + below(count - 1)) % count]!
        return other.steps[below(other.steps.length)]!
      })
      const paragraphs = [...supporting, ...others]
        .map((each, number) => ({ ...each, isSupporting: number < hops, order: random() }))
        .sort((a, b) => a.order - b.order)
        .map(({ title, text, isSupporting }, idx): Paragraph => ({
          idx,
          title,
          paragraph_text: text,
          is_supporting: isSupporting,
        }))
      return JSON.stringify({
        id: `${hops}hop__${at}`,
        paragraphs,
        question: QUERIES[hops - 2]!(lock),
        question_decomposition: supporting.map((step, id) => ({
          id,
          question: step.title,
          paragraph_support_idx: paragraphs.findIndex(({ title }) => title === step.title),
        })),
        answer: answers[hops - 2]!,
        answer_aliases: [],
        answerable: true,
      })
    })
    .join('\n')
}
