/**
 * Makes question sets for the retrieval benchmark of tasks of BIG-bench, whose source package on the Python package index holds them. They are
 * read where they were unpacked and never copied into this repository.
 *
 *     pip download --no-deps --no-binary :all: bigbench==1.0.0 && tar xzf bigbench-1.0.0.tar.gz
 *     node tests/bench/big-bench-sets.ts bigbench-1.0.0/bigbench/benchmark_tasks FOLDER
 *     npm run bench -- --only retrieval --data FOLDER/squad-nyt --data FOLDER/squad-reddit …
 *
 * `squad-…` (SQuADShifts: news, Wikipedia, shop reviews, a forum): a person's question about one paragraph, with the paragraph as gold.
 * `strategy-qa`: a person's question whose answer takes two or three facts that it does not name, each a document of one sentence.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'

const PARAGRAPHS = 600
const QUESTIONS = 200

const Squad = z.object({
  data: z.array(
    z.looseObject({
      paragraphs: z.array(
        z.looseObject({ context: z.string(), qas: z.array(z.looseObject({ id: z.string(), question: z.string() })) }),
      ),
    }),
  ),
})
const Strategy = z.object({ examples: z.array(z.looseObject({ input: z.string(), target: z.string() })) })

interface MadeSet {
  documents: { title: string; text: string }[]
  questions: { id: string; question: string; gold: { title: string }[] }[]
}

/** So many of them, evenly over the whole. */
const spread = <Item>(items: readonly Item[], count: number): Item[] =>
  items.length <= count
    ? [...items]
    : Array.from({ length: count }, (_, at) => items[Math.floor((at * items.length) / count)]!)

/** Each paragraph once: some are asked about under two titles. */
async function squad(file: string): Promise<MadeSet> {
  const { data } = Squad.parse(JSON.parse(await readFile(file, 'utf8')))
  const all = data.flatMap(({ paragraphs }) => paragraphs).filter(({ qas }) => qas.length > 0)
  const byText = new Map(all.map((paragraph) => [paragraph.context.trim(), paragraph]))
  const chosen = spread([...byText], PARAGRAPHS).map(([text, { qas }], at) => ({ title: `Text ${at + 1}`, text, qas }))
  return {
    documents: chosen.map(({ title, text }) => ({ title, text })),
    questions: spread(chosen, QUESTIONS).map(({ title, qas }) => ({
      id: qas[0]!.id,
      question: qas[0]!.question.trim(),
      gold: [{ title }],
    })),
  }
}

async function strategy(file: string): Promise<MadeSet> {
  const { examples } = Strategy.parse(JSON.parse(await readFile(file, 'utf8')))
  const split = new Intl.Segmenter('en', { granularity: 'sentence' })
  const titles = new Map<string, string>()
  const asked = spread(examples, PARAGRAPHS).map(({ input, target }, at) => {
    const facts = [...split.segment(target.replace(/^(?:Yes|No)\.\s*/, ''))]
      .map(({ segment }) => segment.trim())
      .filter((fact) => fact !== '')
    for (const fact of facts) if (!titles.has(fact)) titles.set(fact, `Fact ${titles.size + 1}`)
    return { id: String(at + 1), question: input, gold: facts.map((fact) => ({ title: titles.get(fact)! })) }
  })
  return {
    documents: [...titles].map(([text, title]) => ({ title, text })),
    questions: spread(
      asked.filter(({ gold }) => gold.length === 2 || gold.length === 3),
      QUESTIONS,
    ),
  }
}

const [tasks, folder] = process.argv.slice(2)
if (tasks === undefined || folder === undefined) {
  console.error('usage: node tests/bench/big-bench-sets.ts TASKS_FOLDER FOLDER')
  process.exit(2)
}
const shifts = join(tasks, 'squad_shifts')
const sets: Record<string, MadeSet> = {
  'squad-nyt': await squad(join(shifts, 'nyt_v1.0.json')),
  'squad-wikipedia': await squad(join(shifts, 'new_wiki_v1.0.json')),
  'squad-reviews': await squad(join(shifts, 'amazon_reviews_v1.0.json')),
  'squad-reddit': await squad(join(shifts, 'reddit_v1.0.json')),
  'strategy-qa': await strategy(join(tasks, 'strategyqa/task.json')),
}
const lines = (rows: readonly object[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join('')
for (const [name, { documents, questions }] of Object.entries(sets)) {
  await mkdir(join(folder, name), { recursive: true })
  await writeFile(join(folder, name, 'corpus.jsonl'), lines(documents))
  await writeFile(join(folder, name, 'questions.jsonl'), lines(questions))
  console.log(`${name}: ${documents.length} documents, ${questions.length} questions`)
}
