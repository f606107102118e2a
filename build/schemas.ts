import { readFile, writeFile } from 'node:fs/promises'
import { z } from 'zod'
import * as contract from '../contract/index.ts'
import { answerHelp } from './answer-help.ts'

const FILES: Record<string, z.ZodType> = {
  consumer: contract.ConsumerManifest,
  plugin: contract.PluginManifest,
  evaluation: contract.EvaluationManifest,
  dataset: contract.DatasetFile,
  datasets: contract.DatasetCatalogue,
  flavors: contract.FlavorsManifest,
  models: contract.ModelsFile,
  connections: contract.ConnectionsFile,
  'model-catalogue': contract.ModelCatalogue,
  queries: contract.QueryFile,
  'canonical-row': contract.CanonicalRow,
  'rag-extension': contract.RagExtension,
  'evaluation-result': contract.EvaluationResult,
  matrix: contract.Matrix,
  judgments: contract.Judgments,
  aggregate: contract.Aggregate,
  'run-event': contract.RunEvent,
  'run-identity': contract.RunIdentity,
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
