import { cp, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { capableAnswer, type AskedOfModel } from './capable-model.ts'
import { smokeProject } from './cli.ts'
import { startModelService, type ModelService } from './model-service.ts'
import { musiqueQuestions } from './musique-questions.ts'
import { PROJECT_ROOT } from './project-root.ts'

// Before typing its commands, a reader of the documents has a project, documents and questions, files of public datasets, a service of models.

/** Datasets that documents name, with their levels; each has the few documents and questions of the reader here. */
const SHORT = { baseline_curated: 1, graph_native: 0 }

const LOCKS = 'Alder Birch Cedar Dune Elm Fern Glen Heath Isle Juniper Knoll Larch Marsh North Oak Pine'
  .split(' ')
  .map((name, at) => {
    const keeper = `Ada ${name.slice(1)}er`
    const fact = `The keeper of ${name} Lock is ${keeper}.`
    const opened = `${name} Lock was opened in ${1901 + at}.`
    return {
      id: `${at}`,
      document: `${name}.md`,
      query: `Who keeps ${name} Lock?`,
      keeper,
      fact,
      text: `# ${name} Lock\n\n${opened} ${fact}\n`,
    }
  })
const jsonLines = (objects: readonly object[]): string => objects.map((each) => `${JSON.stringify(each)}\n`).join('')

async function writeFiles(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(join(folder, name, '..'), { recursive: true })
    await writeFile(join(folder, name), text)
  }
}

/** Makes the project; its folder `home` stands for the reader's own. */
export async function readerProject(): Promise<string> {
  const root = await smokeProject()
  const questions = LOCKS.slice(0, 3).map(({ id, document, query, keeper, fact }) => ({
    id,
    query,
    ground_truth: keeper,
    answerable: true,
    hops: 1,
    gold: [{ document, fact }],
    answer_keys: [[keeper]],
  }))
  const short = Object.entries(SHORT).map(([id, complexity_level]) => {
    const dataset = { version: 1, label: id, complexity_level, documents: 'corpus/locks', questions }
    return [`manifests/datasets/${id}.yaml`, stringify(dataset)] as const
  })
  const papers = ['corpus/locks', 'home/papers'].flatMap((folder) =>
    LOCKS.map(({ document, text }) => [`${folder}/${document}`, text] as const),
  )
  const rows = LOCKS.map(({ query, keeper, document, fact }) => `${query},${keeper},${document},${fact}\n`)
  const beir = 'home/beir/scifact'
  await writeFiles(root, {
    ...Object.fromEntries([...short, ...papers]),
    '.env': '# nothing yet\n',
    'questions.csv': `question,answer,document,fact\n${rows.join('')}`,
    'key.txt': 'a-key-of-a-reader\n',
    'home/musique_ans_v1.0_dev.jsonl': musiqueQuestions(8),
    [`${beir}/corpus.jsonl`]: jsonLines(LOCKS.map(({ id, document, text }) => ({ _id: id, title: document, text }))),
    [`${beir}/queries.jsonl`]: jsonLines(LOCKS.map(({ id, query }) => ({ _id: id, text: query }))),
    [`${beir}/qrels/test.tsv`]: `query-id\tcorpus-id\tscore\n${LOCKS.map(({ id }) => `${id}\t${id}\t1\n`).join('')}`,
  })
  await cp(join(PROJECT_ROOT, 'docs/results/ladder.html'), join(root, 'docs/results/ladder.html'))
  return root
}

/** A service that has the models which documents name for Ollama. */
export const startReadersOllama = (): Promise<ModelService> =>
  startModelService(({ path, body }) => {
    if (path.endsWith('/models')) return { json: { data: ['qwen3:8b', 'nomic-embed-text'].map((id) => ({ id })) } }
    return body === null ? { status: 404, json: {} } : { json: capableAnswer(body as AskedOfModel) }
  })
