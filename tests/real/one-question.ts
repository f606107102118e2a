import { readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse, stringify } from 'yaml'

/** Leaves the smoke set of a project one question on one document: real weights read a prompt for seconds on a small machine. */
export async function leaveOneQuestion(root: string): Promise<void> {
  const file = join(root, 'manifests/datasets/smoke.yaml')
  const manifest = parse(await readFile(file, 'utf8')) as { questions: { gold: { document: string }[] }[] }
  const [question] = manifest.questions
  await writeFile(file, stringify({ ...manifest, questions: [question] }))
  const corpus = join(root, 'corpus/smoke')
  const kept = question!.gold[0]!.document
  for (const name of await readdir(corpus)) if (name !== kept) await rm(join(corpus, name), { recursive: true })
}
