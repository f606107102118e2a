import { ImportError, type Importer, type SourceFile } from './importer.ts'
import { distinctTexts, jsonRecords, listField, textField, type JsonRecord } from './json-records.ts'
import { chosenFile } from './source-files.ts'

// SQuAD 1.1 and 2.0 (https://rajpurkar.github.io/SQuAD-explorer/): one object whose `data` lists articles with `title` and `paragraphs`, each with
// `context` and `qas`: `id`, `question`, `answers` with `text` and `answer_start`, and in 2.0 `is_impossible`. A paragraph is a document; the
// sentence that holds the first answer is the gold fact. A question of 2.0 that its own paragraph does not answer is unanswerable.

const SENTENCES = new Intl.Segmenter('en', { granularity: 'sentence' })

/**
 * The sentences that hold an answer. SQuAD counts `answer_start` in code points, some tools that write its form in UTF-16 units. Null where the answer is at
 * neither place.
 */
function sentencesAround(text: string, answer: string, start: number): string | null {
  const codePoints = Array.from(text.slice(0, 2 * start))
    .slice(0, start)
    .join('').length
  const at = [codePoints, start].find((place) => text.startsWith(answer, place))
  if (at === undefined) return null
  const held = [...SENTENCES.segment(text)].filter(
    ({ segment, index }) => index < at + answer.length && at < index + segment.length,
  )
  return held
    .map(({ segment }) => segment)
    .join('')
    .trim()
}

interface Paragraph {
  key: string
  title: string
  text: string
  asked: JsonRecord[]
}

function paragraphsOf(record: JsonRecord): Paragraph[] {
  const title = textField(record, 'title')
  return listField(record, 'paragraphs').map((each, at) => {
    const place = `${record.place}, "${title}", paragraph ${at + 1}`
    const inner = { value: (each ?? {}) as Record<string, unknown>, place }
    return {
      key: `${title}#${at + 1}`,
      title: `${title.replaceAll('_', ' ')} ${at + 1}`,
      text: textField(inner, 'context'),
      asked: listField(inner, 'qas').map((value) => ({ value: (value ?? {}) as Record<string, unknown>, place })),
    }
  })
}

function answersOf(asked: JsonRecord): { text: string; start: number }[] {
  const list = asked.value['answers']
  if (list === undefined) return []
  return listField(asked, 'answers').map((each) => {
    const { text, answer_start: start } = (each ?? {}) as Record<string, unknown>
    if (typeof text !== 'string' || typeof start !== 'number')
      throw new ImportError(`${asked.place}: an answer has no "text" or no "answer_start"`)
    return { text, start }
  })
}

export const squad: Importer = {
  id: 'squad',
  label: 'SQuAD',
  expects: 'dev-v1.1.json, train-v1.1.json, dev-v2.0.json or train-v2.0.json',
  licence: 'CC BY-SA 4.0',
  url: 'https://rajpurkar.github.io/SQuAD-explorer/',
  isText: true,
  otherwise: 'document',
  open(files, split, onBytes) {
    const isSquad = ({ first }: SourceFile): boolean => {
      const [paragraph] = Array.isArray(first?.['paragraphs']) ? (first['paragraphs'] as unknown[]) : []
      return typeof paragraph === 'object' && paragraph !== null && 'qas' in paragraph
    }
    const file = chosenFile(files.filter(isSquad), split)
    if (file === null) return null
    const articles = () => jsonRecords(file.path, { member: 'data', onBytes })
    return {
      files: [file],
      async *questions() {
        for await (const article of articles())
          for (const { key, text, asked } of paragraphsOf(article))
            for (const each of asked) {
              const answers = answersOf(each)
              const answerable = each.value['is_impossible'] !== true && answers.length > 0
              const fact = answerable ? sentencesAround(text, answers[0]!.text, answers[0]!.start) : null
              yield {
                id: textField(each, 'id'),
                query: textField(each, 'question'),
                answer: answerable ? answers[0]!.text : null,
                accepted: answerable ? distinctTexts(answers.map((answer) => answer.text)) : [],
                answerable,
                hops: answerable ? 1 : null,
                stratum: answerable ? 'answerable' : 'unanswerable',
                tags: [],
                gold: fact === null ? [] : [{ key, fact }],
                near: [],
                problem: answerable && fact === null ? 'answer_start does not point to the answer' : null,
              }
            }
      },
      async *documents() {
        for await (const article of articles()) yield* paragraphsOf(article)
      },
    }
  },
}
