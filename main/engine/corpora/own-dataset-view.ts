import { readFile, stat } from 'node:fs/promises'
import { extname, join } from 'node:path'
import {
  PREVIEWED_LINES,
  type DatasetCheck,
  type OwnDataset,
  type OwnQuestions,
  type OwnQuestionsInput,
  type ReadQuestionsResult,
} from '../../../contract/control/own-datasets.ts'
import { DOCUMENT_EXTENSIONS, PLAIN_TEXT_EXTENSIONS, RECORDING_EXTENSIONS } from '../../../core/document-formats.ts'
import type { Aggregate } from '../../../contract/evidence/aggregate.ts'
import type { ParserName } from '../../../contract/manifests/consumer.ts'
import type { Question } from '../../../contract/manifests/queries.ts'
import { measuredLevel } from '../../evaluation/measured-level.ts'
import type { LadderDataset } from '../../manifests/experiment.ts'
import { goldChecker } from '../../manifests/datasets/gold-problems.ts'
import { freeId, type OwnDataset as StoredDataset } from '../../manifests/datasets/own-datasets.ts'
import { readQuestionFile, type QuestionFormat } from '../../manifests/datasets/question-file.ts'
import { documentWarnings } from '../../runner/ingestion/document-warnings.ts'
import { plannedDecision } from '../../runner/prepare/planned-decision.ts'
import { pointsIn } from '../../../contract/metrics/points-covered.ts'
import { NO_GOLD, plural } from '../../../contract/words.ts'
import { documentsOf } from './corpus-reader.ts'

/** The file of a person's own dataset with the size of its documents. */
export async function ownDatasetView(
  root: string,
  dataset: LadderDataset,
  { file, revision }: StoredDataset,
): Promise<OwnDataset> {
  const paths = await documentsOf(root, dataset)
  const sizes = await Promise.all(paths.map((path) => stat(join(root, dataset.dataset.corpus_path, path))))
  return {
    dataset_id: dataset.dataset.id,
    label: file.label,
    description: file.description,
    licence: file.licence ?? null,
    complexity_level: file.complexity_level,
    chunker: file.profile.chunker,
    questions: file.questions.length,
    tags: [...new Set(file.questions.flatMap(({ tags }) => tags))],
    revision,
    documents: paths.length,
    bytes: sizes.reduce((sum, { size }) => sum + size, 0),
  }
}

type QuestionsPage = Required<Omit<OwnQuestionsInput, 'dataset_id' | 'question_id'>> & {
  question_id?: string | undefined
}

/** A part of the questions of a dataset, those that hold every word of a text. */
export function questionsPage(
  questions: readonly Question[],
  { offset, limit, text, question_id: id }: QuestionsPage,
): OwnQuestions {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  const found = questions.filter((question) => {
    if (id !== undefined) return question.id === id
    const { query, ground_truth: truth, tags } = question
    const searched = [question.id, query, truth ?? '', ...tags].join('\n').toLowerCase()
    return words.every((word) => searched.includes(word))
  })
  return { matching: found.length, offset, questions: found.slice(offset, offset + limit) }
}

/** Lines as a preview shows them, and how many there are. */
export function previewedLines(lines: ReadQuestionsResult['lines']): Omit<ReadQuestionsResult, 'format'> {
  const isFine = ({ question }: (typeof lines)[number]): boolean => question !== null
  const [fine, refused] = [lines.filter(isFine), lines.filter((line) => !isFine(line))]
  const shown = new Set([...fine.slice(0, PREVIEWED_LINES), ...refused.slice(0, PREVIEWED_LINES)])
  return { fine: fine.length, refused: refused.length, lines: lines.filter((line) => shown.has(line)) }
}

/** Returns what a file of questions would add to a dataset: each line checked as it will be when it is stored, and what of the file was left out. Throws `QuestionFileError`. */
export async function previewQuestions(
  root: string,
  dataset: LadderDataset,
  text: string | Buffer,
  format: QuestionFormat,
): Promise<Pick<ReadQuestionsResult, 'lines'> & { notices: string[] }> {
  const { rows, notices } = await readQuestionFile(text, format)
  const problemOf = goldChecker(root, dataset)
  const ids = new Set(dataset.questions.map(({ id }) => id))
  const asked = new Map(dataset.questions.map(({ id, query }) => [query.trim(), id]))
  const lines: ReadQuestionsResult['lines'] = []
  for (const { row, question, problems } of rows) {
    if (question === null) {
      lines.push({ line: row, question: null, problems })
      continue
    }
    const gold = (await Promise.all(question.gold.map(problemOf))).filter((problem) => problem !== null)
    const same = asked.get(question.query.trim())
    const found = [
      ...gold,
      ...(question.id !== undefined && ids.has(question.id) ? [`there is a question ${question.id} already`] : []),
      ...(same === undefined ? [] : [`question ${same} has the same text`]),
    ]
    const id = question.id ?? freeId(ids)
    if (found.length === 0) {
      ids.add(id)
      asked.set(question.query.trim(), id)
    }
    lines.push({ line: row, question: found.length === 0 ? { ...question, id } : null, problems: found })
  }
  return { lines, notices }
}

const EXTENSIONS: Readonly<Record<ParserName, readonly string[]>> = {
  plain_text: PLAIN_TEXT_EXTENSIONS,
  converter: DOCUMENT_EXTENSIONS,
  speech: RECORDING_EXTENSIONS,
}

type Problem = DatasetCheck['problems'][number]

/** A text that is this long holds more than white space. */
const MOST_BLANK_BYTES = 4096

/** Documents of no byte, and texts of white space alone. */
async function emptyDocuments(root: string, dataset: LadderDataset, documents: readonly string[]): Promise<string[]> {
  const empty: string[] = []
  for (const path of documents) {
    const file = join(root, dataset.dataset.corpus_path, path)
    const { size } = await stat(file)
    const isText = PLAIN_TEXT_EXTENSIONS.includes(extname(path).toLowerCase())
    if (size === 0 || (isText && size <= MOST_BLANK_BYTES && (await readFile(file, 'utf8')).trim() === ''))
      empty.push(path)
  }
  return empty
}

const NAMED = 5
/** `q-1, q-4, …`. */
const idsIn = (questions: LadderDataset['questions']): string =>
  `${questions
    .slice(0, NAMED)
    .map(({ id }) => id)
    .join(', ')}${questions.length > NAMED ? ', …' : ''}`

/** Warnings about questions on which no metric says whether retrieval found the facts, or whether the answer is right. */
function scoringWarnings(questions: LadderDataset['questions']): DatasetCheck['warnings'] {
  const answerable = questions.filter((question) => question.answerable)
  const withoutGold = answerable.filter(({ gold }) => gold.length === 0)
  const withoutKeys = answerable.filter(({ answer_keys: keys }) => keys.length === 0)
  const hasGold = questions.some(({ gold }) => gold.length > 0)
  const messages = [
    ...(questions.length === 0 || hasGold ? [] : [NO_GOLD]),
    ...(!hasGold || withoutGold.length === 0
      ? []
      : [
          `${plural(withoutGold.length, 'question')} without gold evidence: retrieval is not scored on ${idsIn(withoutGold)}`,
        ]),
    ...(withoutKeys.length === 0
      ? []
      : [
          `${plural(withoutKeys.length, 'question')} without answer keys: only token F1, the words that an answer shares with the expected one, says whether it is right (${idsIn(withoutKeys)})`,
        ]),
  ]
  return messages.map((message) => ({ place: 'questions', message }))
}

/** A warning about questions that contain a spelling of their own answer keys; one of a set of comparisons can need that. */
function echoWarnings(questions: LadderDataset['questions']): DatasetCheck['warnings'] {
  const echoed = questions.filter(({ query, answer_keys: keys }) => pointsIn(query, keys).length > 0)
  const message = `${plural(echoed.length, 'question')} already mention what the answer must mention, so an answer that repeats the question has the point: ${idsIn(echoed)}`
  return echoed.length === 0 ? [] : [{ place: 'questions', message }]
}

/** A warning about questions whose points another step towards the answer mentions too; where facts share their answer, it is none. */
function stepWarnings(questions: LadderDataset['questions']): DatasetCheck['warnings'] {
  const doubtful = questions.filter(({ gold, answer_keys: keys }) => {
    const holding = gold.filter(({ fact = '' }) => keys.length > 0 && pointsIn(fact, keys).length === keys.length)
    return holding.length > 1
  })
  const [count, has] = [plural(doubtful.length, 'question'), doubtful.length === 1 ? 'has' : 'have']
  const message = `${count} ${has} all of ${doubtful.length === 1 ? 'its' : 'their'} answer keys in more than one gold fact, so an answer that names another step can count as right: ${idsIn(doubtful)}. Write longer keys, or name the other step in forbidden_answers`
  return doubtful.length === 0 ? [] : [{ place: 'questions', message }]
}

/** Everything that would leave a run of the dataset without a result, or give it a wrong one; `earlier`: summaries of its runs, newest first. */
export async function checkDataset(
  root: string,
  dataset: LadderDataset,
  earlier: AsyncIterable<Aggregate> | Iterable<Aggregate> = [],
): Promise<DatasetCheck> {
  const { questions, profile } = dataset
  const documents = await documentsOf(root, dataset)
  const problems: DatasetCheck['problems'] = []
  const report = (kind: Problem['kind'], place: string, message: string, remedy: string): void =>
    void problems.push({ kind, place, message, remedy })
  if (documents.length === 0) report('dataset', 'documents', 'the dataset has no document', 'add at least one')
  if (questions.length === 0) report('dataset', 'questions', 'the dataset has no question', 'write or import some')
  const readable = new Set(profile.parser_order.flatMap((name) => EXTENSIONS[name]))
  for (const path of documents)
    if (!readable.has(extname(path).toLowerCase()))
      report(
        'document',
        path,
        'no reader of the profile takes this kind of file',
        'convert it to Markdown or text, or remove it',
      )
  for (const path of await emptyDocuments(root, dataset, documents))
    report('document', path, 'the document has no text', 'add its text, or remove it')
  const problemOf = goldChecker(root, dataset)
  for (const { id, gold, answerable, ground_truth: truth, answer_keys: keys } of questions) {
    for (const evidence of gold) {
      const problem = await problemOf(evidence)
      const remedy = documents.includes(evidence.document)
        ? 'select the fact in the document again'
        : 'add the document, or select the fact in another one'
      if (problem !== null) report('question', id, problem, remedy)
    }
    if (answerable && gold.length === 0 && truth === null && keys.length === 0)
      report('question', id, 'a right answer is not defined', 'add a gold fact, an expected answer or answer keys')
    if (!answerable && gold.length > 0)
      report('question', id, 'it is marked as unanswerable and has gold facts', 'remove the facts, or the mark')
  }
  for (const [, same] of Map.groupBy(questions, ({ query }) => query.trim().toLowerCase()))
    if (same.length > 1)
      report(
        'question',
        same[1]!.id,
        `it asks the same as ${same[0]!.id}`,
        'remove one of the two: both count as evidence',
      )
  const warnings = await documentWarnings(root, dataset.dataset.id, dataset.dataset.corpus_path)
  return {
    problems: problems.slice(0, 500),
    warnings: [
      ...warnings.map(({ file, message }) => ({ place: file, message })),
      ...scoringWarnings(questions),
      ...echoWarnings(questions),
      ...stepWarnings(questions),
    ],
    questions: questions.length,
    documents: documents.length,
    planned_difference: await plannedDecision({ questions, approaches: 2, judges: [], earlier }),
    complexity_level: dataset.dataset.complexity_level,
    measured_level: await measuredLevel(root, dataset),
  }
}
