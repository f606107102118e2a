import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { z } from 'zod'
import { loadExperiment } from '../../main/manifests/experiment.ts'
import { PROJECT_ROOT } from '../helpers/project-root.ts'
import { longDocuments } from './long-documents.ts'
import { packageReadmes } from './package-readmes.ts'
import type { RetrievalQuestion, RetrievalSet } from './retrieval-set.ts'

// Question sets for the retrieval benchmark: the rungs of this repository, its seeded long documents, the readme files of installed packages, and folders that stay outside.
// An imported set is `corpus.jsonl` (title; sentences, or the whole text of a long document) and `questions.jsonl` (id, question, and either
// supporting_facts as [title, sentence], as in HotpotQA, or gold as {title, fact} where a passage is to be found).
// The halves of an imported set, every second question, are reported apart. Both halves of two-hop-dev were seen while the weights of the
// reranker were chosen, so neither proves anything about unseen questions: a set that has not been looked at does.

/** Looked for next to the project; licensed data is not copied into it. */
const DEFAULT_FOLDER = resolve(PROJECT_ROOT, '../shared/data/two-hop-dev')

const Passage = z.union([
  z.looseObject({ title: z.string().min(1), sentences: z.array(z.string()) }),
  z.looseObject({ title: z.string().min(1), text: z.string().min(1) }),
])
const ImportedQuestion = z.union([
  z.looseObject({
    id: z.string().min(1),
    question: z.string().min(1),
    supporting_facts: z.array(z.tuple([z.string(), z.number()])).min(1),
  }),
  z.looseObject({
    id: z.string().min(1),
    question: z.string().min(1),
    gold: z.array(z.looseObject({ title: z.string(), fact: z.string().min(1).optional() })).min(1),
  }),
])

/** Names of sets of this repository, accepted where a folder is expected. */
const OWN_SETS = ['long-documents', 'package-readmes', 'rungs']

/** The sets named: folders, `long-documents`, `package-readmes`, `rungs`; without names all of them, with the default folder where it exists. */
export async function retrievalSets(names: readonly string[]): Promise<RetrievalSet[]> {
  const chosen = names.length > 0 ? names : [...((await isFolder(DEFAULT_FOLDER)) ? [DEFAULT_FOLDER] : []), ...OWN_SETS]
  const sets = await Promise.all(
    chosen.map(async (name) => {
      if (name === 'rungs') return rungs()
      if (name === 'long-documents') return [longDocuments()]
      return [name === 'package-readmes' ? await packageReadmes(PROJECT_ROOT) : await importedSet(name)]
    }),
  )
  return sets.flat()
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
      passages.map((passage) => {
        const text = 'text' in passage ? String(passage.text) : passage.sentences.join('')
        return [files.get(passage.title)!, `# ${passage.title}\n\n${text.trim()}\n`]
      }),
    ),
    questions: questions.map((question, at) => ({
      id: question.id,
      text: question.question,
      gold: goldOf(question).map(({ title, fact }) => {
        const document = files.get(title)
        if (document === undefined)
          throw new Error(`${folder}: question ${question.id} names "${title}", which is not in the corpus`)
        return fact === undefined ? { document } : { document, fact }
      }),
      secondHalf: at % 2 === 1,
    })),
  }
}

function goldOf(question: z.infer<typeof ImportedQuestion>): { title: string; fact?: string | undefined }[] {
  if ('gold' in question) return question.gold as { title: string; fact?: string }[]
  return [...new Set(question.supporting_facts.map(([title]) => title))].map((title) => ({ title }))
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
      if (documents.length === 0) return []
      return [{ id, text: query, gold: documents.map((document) => ({ document })), secondHalf: false }]
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
