import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import { shortDocumentQuestions, shortDocuments } from './short-documents.ts'

/** Forms of questions, of which the last has no one gold document. */
const FORMS = 4

/** Writes short documents, and questions that each rest on one of them, in BEIR's form; equal for equal numbers. Returns the bytes of the texts. */
export async function writeBeirSet(folder: string, documents: number, questions: number): Promise<number> {
  await mkdir(join(folder, 'qrels'), { recursive: true })
  const corpus = createWriteStream(join(folder, 'corpus.jsonl'))
  let bytes = 0
  let number = 0
  for (const { text } of shortDocuments(documents)) {
    const [title, ...lines] = text.split('\n')
    const body = lines.join('\n').trim()
    bytes += Buffer.byteLength(text)
    const line = JSON.stringify({ _id: `d${number}`, title: title!.replace(/^# /, ''), text: body })
    if (!corpus.write(`${line}\n`)) await once(corpus, 'drain')
    number += 1
  }
  corpus.end()
  await finished(corpus)
  const all = Math.ceil((questions * FORMS) / (FORMS - 1))
  const asked = shortDocumentQuestions(documents, all)
    // As `shortDocumentQuestions` spreads its subjects over the documents.
    .map((text, at) => ({ text, form: at % FORMS, document: Math.floor(((at + 0.5) * documents) / all) }))
    .filter(({ form }) => form !== FORMS - 1)
    .slice(0, questions)
  await writeFile(
    join(folder, 'queries.jsonl'),
    asked.map(({ text, document }) => JSON.stringify({ _id: `q${document}`, text })).join('\n'),
  )
  await writeFile(
    join(folder, 'qrels/test.tsv'),
    ['query-id\tcorpus-id\tscore', ...asked.map(({ document }) => `q${document}\td${document}\t1`)].join('\n'),
  )
  return bytes
}
