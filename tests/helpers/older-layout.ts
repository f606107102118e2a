import { cp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse, parseDocument, type YAMLSeq } from 'yaml'
import { PROJECT_ROOT } from './project-root.ts'

const FIXTURE = join(PROJECT_ROOT, 'tests/fixtures/older-layout')

/** Declares the dataset `smoke` of a copied project in the older layout: catalogue, questions file and ingestion profile of the consumer manifest. */
export async function declareSmokeInOlderLayout(root: string): Promise<void> {
  const manifests = join(root, 'manifests')
  await rm(join(manifests, 'datasets/smoke.yaml'))
  for (const name of ['datasets.yaml', 'queries'])
    await cp(join(FIXTURE, name), join(manifests, name), { recursive: true })
  const consumer = parseDocument(await readFile(join(manifests, 'consumer.yaml'), 'utf8'))
  const { ingestion_profiles: profiles } = parse(await readFile(join(FIXTURE, 'ingestion-profiles.yaml'), 'utf8')) as {
    ingestion_profiles: unknown[]
  }
  const declared = consumer.get('ingestion_profiles') as YAMLSeq
  for (const profile of profiles) declared.add(consumer.createNode(profile))
  await writeFile(join(manifests, 'consumer.yaml'), String(consumer))
}

/** Writes the questions of `smoke` as a file of their own, as `--queries` takes them; their ids may get a prefix. */
export async function copySmokeQuestions(root: string, file: string, prefix = ''): Promise<void> {
  const text = await readFile(join(FIXTURE, 'queries/smoke.yaml'), 'utf8')
  await writeFile(join(root, file), text.replaceAll(/^(\s*- id: )/gm, `$1${prefix}`))
}
