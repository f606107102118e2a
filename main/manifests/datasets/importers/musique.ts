import { ImportError, type Importer, type SourceFile } from './importer.ts'
import { distinctTexts, jsonRecords, listField, passageKey, textField, type JsonRecord } from './json-records.ts'
import { chosenFile } from './source-files.ts'

// MuSiQue (https://github.com/StonyBrookNLP/musique): JSONL with `id`, `question`, `answer`, `answer_aliases`, `answerable`,
// `question_decomposition`, and `paragraphs` with `title`, `paragraph_text`, `is_supporting`. Supporting paragraphs are gold as a whole.
//
// MuSiQue-Full asks each question twice: once with the paragraphs that answer it and once without. In one corpus the first makes the second
// answerable, so both have one group, of which one is imported.

interface Passage {
  key: string
  title: string
  text: string
  isSupporting: boolean
}

const passagesOf = (record: JsonRecord): Passage[] =>
  listField(record, 'paragraphs').map((each, at) => {
    const { title, paragraph_text: text, is_supporting: isSupporting } = (each ?? {}) as Record<string, unknown>
    if (typeof title !== 'string' || typeof text !== 'string')
      throw new ImportError(`${record.place}: paragraph ${at + 1}: expected "title" and "paragraph_text"`)
    return { key: passageKey(title, text), title, text, isSupporting: isSupporting === true }
  })

const isMusique = ({ first }: SourceFile): boolean => {
  const [paragraph] = Array.isArray(first?.['paragraphs']) ? (first['paragraphs'] as unknown[]) : []
  return (
    typeof paragraph === 'object' &&
    paragraph !== null &&
    'paragraph_text' in paragraph &&
    first?.['question'] !== undefined
  )
}

export const musique: Importer = {
  id: 'musique',
  label: 'MuSiQue',
  expects: 'musique_ans_v1.0_dev.jsonl or musique_full_v1.0_dev.jsonl',
  licence: 'CC BY 4.0',
  url: 'https://github.com/StonyBrookNLP/musique',
  isText: true,
  otherwise: 'document',
  open(files, split, onBytes) {
    const file = chosenFile(files.filter(isMusique), split)
    if (file === null) return null
    return {
      files: [file],
      async *questions() {
        for await (const record of jsonRecords(file.path, { onBytes })) {
          const { value } = record
          const passages = passagesOf(record)
          const answerable = value['answerable'] !== false
          const supporting = passages.filter(({ isSupporting }) => isSupporting)
          const steps = listField(record, 'question_decomposition').length
          const answer = answerable ? textField(record, 'answer') : null
          const aliases = Array.isArray(value['answer_aliases']) ? (value['answer_aliases'] as unknown[]) : []
          const id = textField(record, 'id')
          const hops = `${steps} hops`
          yield {
            id: answerable ? id : `${id}-unanswerable`,
            query: textField(record, 'question'),
            answer,
            accepted: answer === null ? [] : distinctTexts([answer, ...aliases]),
            answerable,
            hops: steps,
            stratum: answerable ? hops : `${hops}, unanswerable`,
            tags: [hops],
            gold: answerable ? supporting.map(({ key }) => ({ key })) : [],
            near: passages.map(({ key }) => key),
            group: id,
            problem: answerable && supporting.length === 0 ? 'no paragraph is marked as supporting' : null,
          }
        }
      },
      async *documents() {
        for await (const record of jsonRecords(file.path, { onBytes })) yield* passagesOf(record)
      },
    }
  },
}
