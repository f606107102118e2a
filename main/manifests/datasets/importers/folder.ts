import { extname } from 'node:path'
import {
  documentPath,
  QUESTION_FORMATS,
  QuestionFileError,
  readQuestionFile,
  type QuestionFormat,
} from '../question-file.ts'
import { ImportError, type Importer, type SourceFile } from './importer.ts'
import { unpackedFile, withoutGzip } from './json-records.ts'

// A folder with questions.csv (or .tsv, .xlsx, .json, .jsonl; columns as in question-file.ts) and documents of any kind in `documents/`, or beside
// it. Gold evidence names documents by their path in that folder.

// A text file beside documents is one of them.
const TABLES = QUESTION_FORMATS.filter((format) => format !== 'txt')
const QUESTIONS = new RegExp(`^questions\\.(${TABLES.join('|')})(\\.gz)?$`, 'i')
const BELOW = /^(documents|corpus)\//i

async function rowsOf({ path, name }: SourceFile) {
  const format = extname(withoutGzip(name)).slice(1).toLowerCase() as QuestionFormat
  try {
    return (await readQuestionFile(await unpackedFile(path), format)).rows
  } catch (error) {
    if (error instanceof QuestionFileError) throw new ImportError(`${name}: ${error.message}`)
    throw error
  }
}

export const folder: Importer = {
  id: 'folder',
  label: 'Folder with questions',
  expects: 'questions.csv, and documents in documents/ or beside it',
  licence: '',
  url: '',
  isText: false,
  otherwise: 'nothing',
  open(files) {
    const table = files.find(({ name }) => QUESTIONS.test(name))
    if (table === undefined) return null
    const below = files.filter(({ name }) => BELOW.test(name))
    const documents = below.length > 0 ? below : files.filter((file) => file !== table)
    if (documents.length === 0) return null
    return {
      files: [table],
      async *questions() {
        for (const { row, question, problems } of await rowsOf(table)) {
          if (question === null) throw new ImportError(`${table.name}, row ${row}: ${problems.join('; ')}`)
          const {
            id = `q-${row}`,
            query,
            ground_truth: answer,
            answerable,
            hops,
            tags,
            gold,
            answer_keys: keys,
          } = question
          yield {
            id,
            query,
            answer,
            accepted: [],
            keys,
            answerable,
            hops,
            stratum: tags[0] ?? '',
            tags,
            gold: gold.map(({ document, fact }) => ({
              key: documentPath(document),
              ...(fact === undefined ? {} : { fact }),
            })),
            near: [],
          }
        }
      },
      async *documents() {
        for (const { name, path } of documents) {
          const own = name.replace(BELOW, '')
          yield { key: documentPath(own), path: own, file: path }
        }
        await Promise.resolve()
      },
    }
  },
}
