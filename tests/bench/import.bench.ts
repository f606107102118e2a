import { createWriteStream } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { once } from 'node:events'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import { smokeProject } from '../helpers/cli.ts'
import { PROJECT_ROOT } from '../helpers/project-root.ts'
import { shown, type Figure } from './figure.ts'
import { measureProcess } from './measured-process.ts'

const DOCUMENTS = 50_000
const QUESTIONS = 300

/** A sequence that is the same on every machine. */
function* seeded(seed: number): Generator<number, never> {
  let state = seed
  for (;;) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    yield state / 2 ** 32
  }
}

/** Writes a set of invented words in BEIR's form. */
async function writeBeir(folder: string): Promise<void> {
  const random = seeded(42)
  const next = (below: number): number => Math.floor(random.next().value * below)
  const letters = (count: number): string =>
    Array.from({ length: count }, () => String.fromCharCode(97 + next(26))).join('')
  const words = Array.from({ length: 20_000 }, () => letters(3 + next(7)))
  const text = (count: number): string => Array.from({ length: count }, () => words[next(words.length)]!).join(' ')
  await mkdir(join(folder, 'qrels'), { recursive: true })
  const corpus = createWriteStream(join(folder, 'corpus.jsonl'))
  const queries: string[] = []
  const judged = ['query-id\tcorpus-id\tscore']
  for (let at = 0; at < DOCUMENTS; at += 1) {
    const document = { _id: `d${at}`, title: text(3), text: `${text(60 + next(80))}.` }
    if (!corpus.write(`${JSON.stringify(document)}\n`)) await once(corpus, 'drain')
    if (at % Math.floor(DOCUMENTS / QUESTIONS) !== 0) continue
    queries.push(JSON.stringify({ _id: `q${at}`, text: document.text.split(' ').slice(10, 22).join(' ') }))
    judged.push(`q${at}\td${at}\t1`)
  }
  corpus.end()
  await finished(corpus)
  await writeFile(join(folder, 'queries.jsonl'), queries.join('\n'))
  await writeFile(join(folder, 'qrels/test.tsv'), judged.join('\n'))
}

/** The command as a whole process, from before its start: a public dataset with many small documents. */
export async function benchImport(): Promise<Figure[]> {
  const root = await smokeProject()
  try {
    const source = join(root, 'beir')
    await writeBeir(source)
    const entry = join(PROJECT_ROOT, 'bin/rag-ladder.mjs')
    const args = [entry, 'dataset', 'import', source, '--as', 'many', '--project', root]
    const { wallS, peakMb, code, output } = await measureProcess(process.execPath, args)
    if (code !== 0) throw new Error(`the import ended with ${code}: ${output}`)
    return [
      shown('K', `import of ${DOCUMENTS} documents in BEIR format`, wallS, 's'),
      shown('K', 'documents a second', DOCUMENTS / wallS, ''),
      ...(peakMb === null ? [] : [shown('K', 'most memory', peakMb, 'MB')]),
    ]
  } finally {
    await rm(root, { recursive: true, force: true })
  }
}
