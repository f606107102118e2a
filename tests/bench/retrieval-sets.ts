import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { z } from 'zod'
import { loadExperiment } from '../../main/manifests/experiment.ts'
import { PROJECT_ROOT } from '../helpers/project-root.ts'

// Question sets for the retrieval benchmark: the rungs of this repository, and folders in the form of HotpotQA that stay outside of it.
// An imported set is `corpus.jsonl` (title, sentences) and `questions.jsonl` (id, question, supporting_facts as [title, sentence]).
// The halves of an imported set, every second question, are reported apart. Both halves of two-hop-dev were seen while the weights of the
// reranker were chosen, so neither proves anything about unseen questions: a set that has not been looked at does.

export interface RetrievalQuestion {
  id: string
  text: string
  /** File names of the documents that a correct answer rests on. */
  gold: readonly string[]
  secondHalf: boolean
}

export interface RetrievalSet {
  name: string
  imported: boolean
  /** Text of each document, by file name. */
  documents: ReadonlyMap<string, string>
  questions: readonly RetrievalQuestion[]
}

/** Looked for next to the project; licensed data is not copied into it. */
const DEFAULT_FOLDER = resolve(PROJECT_ROOT, '../shared/data/two-hop-dev')

const Passage = z.looseObject({ title: z.string().min(1), sentences: z.array(z.string()) })
const ImportedQuestion = z.looseObject({
  id: z.string().min(1),
  question: z.string().min(1),
  supporting_facts: z.array(z.tuple([z.string(), z.number()])).min(1),
})

/** The rungs with gold facts, then the imported folders: those named, else the default one where it exists. */
export async function retrievalSets(folders: readonly string[]): Promise<RetrievalSet[]> {
  const imported = folders.length > 0 ? folders : (await isFolder(DEFAULT_FOLDER)) ? [DEFAULT_FOLDER] : []
  return [...(await Promise.all(imported.map(importedSet))), ...(await rungs())]
}

/** Writes a set's documents where the platform mounts a corpus. */
export async function writeCorpus(set: RetrievalSet, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  for (const [file, text] of set.documents) await writeFile(join(folder, file), text)
}

async function importedSet(folder: string): Promise<RetrievalSet> {
  const passages = await readLines(join(folder, 'corpus.jsonl'), Passage)
  const questions = await readLines(join(folder, 'questions.jsonl'), ImportedQuestion)
  const files = new Map(passages.map(({ title }) => [title, fileName(title)]))
  return {
    name: basename(folder),
    imported: true,
    documents: new Map(
      passages.map(({ title, sentences }) => [files.get(title)!, `# ${title}\n\n${sentences.join('').trim()}\n`]),
    ),
    questions: questions.map(({ id, question, supporting_facts: facts }, at) => ({
      id,
      text: question,
      gold: [...new Set(facts.map(([title]) => title))].map((title) => {
        const file = files.get(title)
        if (file === undefined)
          throw new Error(`${folder}: question ${id} names "${title}", which is not in the corpus`)
        return file
      }),
      secondHalf: at % 2 === 1,
    })),
  }
}

/** A title as a file name; the hash keeps two titles apart that differ in signs only. */
function fileName(title: string): string {
  const words = title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 60)
  return `${words}-${createHash('sha256').update(title).digest('hex').slice(0, 8)}.md`
}

async function readLines<Row>(file: string, schema: z.ZodType<Row>): Promise<Row[]> {
  const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line.trim() !== '')
  return lines.map((line, at) => {
    const row = schema.safeParse(JSON.parse(line))
    if (!row.success) throw new Error(`${file} line ${at + 1}: ${z.prettifyError(row.error)}`)
    return row.data
  })
}

async function rungs(): Promise<RetrievalSet[]> {
  const { datasets } = await loadExperiment(PROJECT_ROOT)
  const sets: RetrievalSet[] = []
  for (const { dataset, questions } of datasets) {
    if (dataset.complexity_level === 0) continue
    const folder = join(PROJECT_ROOT, dataset.corpus_path)
    const names = (await readdir(folder)).filter((name) => name.endsWith('.md')).sort()
    const texts = await Promise.all(
      names.map(async (name) => [name, await readFile(join(folder, name), 'utf8')] as const),
    )
    const asked = questions.flatMap(({ id, query, gold }): RetrievalQuestion[] => {
      const documents = [...new Set(gold.map(({ document }) => document))]
      return documents.length === 0 ? [] : [{ id, text: query, gold: documents, secondHalf: false }]
    })
    sets.push({ name: dataset.id, imported: false, documents: new Map(texts), questions: asked })
  }
  return sets
}

const isFolder = async (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
