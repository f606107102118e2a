import { readFile, writeFile } from 'node:fs/promises'
import { z } from 'zod'
import { Aggregate } from '../contract/evidence/aggregate.ts'
import { CanonicalRow } from '../contract/evidence/canonical-row.ts'
import { EvaluationResult } from '../contract/evidence/evaluation-result.ts'
import { Judgments } from '../contract/evidence/judgments.ts'
import { Matrix } from '../contract/evidence/matrix.ts'
import { RagExtension } from '../contract/evidence/rag-extension.ts'
import { RunEvent } from '../contract/evidence/run-event.ts'
import { RunIdentity } from '../contract/evidence/run-identity.ts'
import { ConnectionsFile } from '../contract/manifests/connections.ts'
import { ConsumerManifest } from '../contract/manifests/consumer.ts'
import { DatasetFile, DatasetCatalogue, ParaphraseFile } from '../contract/manifests/datasets.ts'
import { EvaluationManifest } from '../contract/manifests/evaluation.ts'
import { FlavorsManifest } from '../contract/manifests/flavors.ts'
import { ModelCatalogue } from '../contract/manifests/model-catalogue.ts'
import { ModelsFile } from '../contract/manifests/models.ts'
import { PluginManifest } from '../contract/manifests/plugin.ts'
import { QueryFile } from '../contract/manifests/queries.ts'
import { answerHelp } from './answer-help.ts'

const FILES: Record<string, z.ZodType> = {
  consumer: ConsumerManifest,
  plugin: PluginManifest,
  evaluation: EvaluationManifest,
  dataset: DatasetFile,
  datasets: DatasetCatalogue,
  flavors: FlavorsManifest,
  models: ModelsFile,
  connections: ConnectionsFile,
  'model-catalogue': ModelCatalogue,
  queries: QueryFile,
  paraphrases: ParaphraseFile,
  'canonical-row': CanonicalRow,
  'rag-extension': RagExtension,
  'evaluation-result': EvaluationResult,
  matrix: Matrix,
  judgments: Judgments,
  aggregate: Aggregate,
  'run-event': RunEvent,
  'run-identity': RunIdentity,
}

const folder = new URL('../docs/schemas/', import.meta.url)

/** JSON Schemas as they should be in docs/schemas. Manifests are described as people write them, artifacts as we write them. */
function schemaFiles(): { name: string; text: string }[] {
  return Object.entries(FILES).map(([name, schema]) => {
    const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
    return { name: `${name}.schema.json`, text: `${JSON.stringify({ title: name, ...json }, null, 2)}\n` }
  })
}

/** Names of the schema files that differ from the contract. */
export async function staleSchemas(): Promise<string[]> {
  const stale = await Promise.all(
    schemaFiles().map(async ({ name, text }) =>
      (await readFile(new URL(name, folder), 'utf8').catch(() => '')) === text ? [] : [name],
    ),
  )
  return stale.flat()
}

async function writeSchemas(): Promise<number> {
  const files = schemaFiles()
  for (const { name, text } of files) await writeFile(new URL(name, folder), text)
  return files.length
}

if (import.meta.main) {
  answerHelp('npm run schemas: writes docs/schemas from the contract')
  console.log(`${await writeSchemas()} schemas written to docs/schemas`)
}
