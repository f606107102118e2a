import { isRecord } from '../../../../core/json.ts'
import { ImportError, type Importer, type ImportedQuestion, type OpenSource, type SourceFile } from './importer.ts'
import { jsonRecords, listField, passageKey, textField, type JsonRecord } from './json-records.ts'
import { chosenFile } from './source-files.ts'

// HotpotQA (https://github.com/hotpotqa/hotpot#json-format): a list of records with `_id`, `question`, `answer`, `type`, `level`, `context` as
// [title, sentences] and `supporting_facts` as [title, sentence]. 2WikiMultiHopQA (https://github.com/Alab-NII/2wikimultihop) has the same form
// and `evidences` besides. Also read: the columns of their Hugging Face versions, where `context` has the lists `title` and `sentences`, and
// passages in a file of their own (`title`, `sentences`), shared by all questions.
//
// In HotpotQA's fullwiki file the paragraphs are those that the authors' search found: a question whose gold paragraphs are not among
// them is left out.

interface Passage {
  key: string
  title: string
  text: string
  sentences: readonly string[]
}

/** HotpotQA's sentences begin with the blank that separates them; those of 2WikiMultiHopQA do not. */
function passageOf(title: unknown, list: unknown, place: string): Passage {
  if (typeof title !== 'string' || !Array.isArray(list) || !list.every((each) => typeof each === 'string'))
    throw new ImportError(`${place}: "context" is not as expected: a list of [title, sentences]`)
  const sentences: string[] = list
  const text = sentences.reduce(
    (all, next) => (all === '' || /\s$/.test(all) || /^\s/.test(next) ? all + next : `${all} ${next}`),
    '',
  )
  return { key: passageKey(title, text), title, text: text.trim(), sentences }
}

/** Pairs of a field in either form. */
function pairs(record: JsonRecord, field: string, first: string, second: string): [unknown, unknown][] {
  const value = record.value[field]
  if (isRecord(value)) {
    const others = listField({ value, place: record.place }, second)
    return listField({ value, place: record.place }, first).map((each, at) => [each, others[at]])
  }
  return listField(record, field).map((pair) => (Array.isArray(pair) ? [pair[0], pair[1]] : [undefined, undefined]))
}

const contextOf = (record: JsonRecord): Passage[] =>
  pairs(record, 'context', 'title', 'sentences').map(([title, list]) => passageOf(title, list, record.place))

function questionOf(
  record: JsonRecord,
  passageOfTitle: (title: string) => Passage | undefined,
  near: readonly Passage[],
): ImportedQuestion {
  const { type, level } = record.value
  const facts = pairs(record, 'supporting_facts', 'title', 'sent_id')
  const lost: string[] = []
  const gold = facts.flatMap(([title, sentence]) => {
    const passage = passageOfTitle(String(title))
    if (passage === undefined) return []
    // A few records name a sentence that their passage does not have.
    const fact = passage.sentences[Number(sentence)]?.trim() ?? ''
    if (fact !== '') return [{ key: passage.key, fact }]
    lost.push('their paragraph has no sentence of that number')
    return []
  })
  const missing = new Set(facts.map(([title]) => String(title)).filter((title) => passageOfTitle(title) === undefined))
  const answer = textField(record, 'answer')
  const tags = [type, level].filter((each): each is string => typeof each === 'string')
  return {
    id: textField(record, record.value['_id'] === undefined ? 'id' : '_id'),
    query: textField(record, 'question'),
    answer,
    accepted: [answer],
    answerable: true,
    hops: new Set(gold.map(({ key }) => key)).size,
    stratum: tags[0] ?? '',
    tags,
    gold,
    near: near.map(({ key }) => key),
    lost,
    problem:
      missing.size > 0
        ? 'a gold paragraph is not among the paragraphs of the file'
        : gold.length === 0
          ? 'no supporting fact names a sentence'
          : null,
  }
}

/** A file of records with their own paragraphs. */
const withContext = (file: SourceFile, onBytes: (bytes: number) => void): OpenSource => ({
  files: [file],
  async *questions() {
    for await (const record of jsonRecords(file.path, { onBytes })) {
      const context = contextOf(record)
      yield questionOf(record, (title) => context.find((each) => each.title === title), context)
    }
  },
  async *documents() {
    for await (const record of jsonRecords(file.path, { onBytes })) yield* contextOf(record)
  },
})

const rowOf = (record: JsonRecord): Passage =>
  passageOf(textField(record, 'title'), listField(record, 'sentences'), record.place)

/** Questions without paragraphs beside a file of passages. */
const withCorpus = (questions: SourceFile, corpus: SourceFile, onBytes: (bytes: number) => void): OpenSource => ({
  files: [questions, corpus],
  async *questions() {
    const wanted = new Set<string>()
    for await (const record of jsonRecords(questions.path, { onBytes }))
      for (const [title] of pairs(record, 'supporting_facts', 'title', 'sent_id')) wanted.add(String(title))
    const passages = new Map<string, Passage>()
    for await (const record of jsonRecords(corpus.path, { onBytes })) {
      const title = textField(record, 'title')
      if (wanted.has(title) && !passages.has(title)) passages.set(title, rowOf(record))
    }
    for await (const record of jsonRecords(questions.path, { onBytes }))
      yield questionOf(record, (title) => passages.get(title), [])
  },
  async *documents() {
    for await (const record of jsonRecords(corpus.path, { onBytes })) yield rowOf(record)
  },
})

const asksWith =
  (...fields: string[]) =>
  ({ first }: SourceFile): boolean =>
    first !== null && ['question', 'supporting_facts', ...fields].every((field) => first[field] !== undefined)

function openSource(
  files: readonly SourceFile[],
  split: string | null,
  onBytes: (bytes: number) => void,
  isOf: (file: SourceFile) => boolean,
): OpenSource | null {
  const own = chosenFile(
    files.filter((file) => isOf(file) && asksWith('context')(file)),
    split,
  )
  if (own !== null) return withContext(own, onBytes)
  const corpus = files.find(({ first }) => first?.['sentences'] !== undefined && first['title'] !== undefined)
  const questions = chosenFile(
    files.filter((file) => isOf(file) && asksWith()(file)),
    split,
  )
  return corpus === undefined || questions === null ? null : withCorpus(questions, corpus, onBytes)
}

const hasEvidences = ({ first }: SourceFile): boolean => first?.['evidences'] !== undefined

export const hotpotqa: Importer = {
  id: 'hotpotqa',
  label: 'HotpotQA',
  expects: 'hotpot_dev_distractor_v1.json (distractor or fullwiki), or questions and passages in two files',
  licence: 'CC BY-SA 4.0',
  url: 'https://hotpotqa.github.io',
  isText: true,
  otherwise: 'document',
  open: (files, split, onBytes) => openSource(files, split, onBytes, (file) => !hasEvidences(file)),
}

export const twoWikiMultiHopQa: Importer = {
  ...hotpotqa,
  id: '2wikimultihopqa',
  label: '2WikiMultiHopQA',
  expects: 'dev.json or train.json',
  licence: 'Apache 2.0',
  url: 'https://github.com/Alab-NII/2wikimultihop',
  open: (files, split, onBytes) => openSource(files, split, onBytes, hasEvidences),
}
