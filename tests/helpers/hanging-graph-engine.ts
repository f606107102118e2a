import { createGraphEngine } from '../../providers/platform/stores/graph-engine/create-graph-engine.ts'
import { scriptedModels } from './scripted-models.ts'

/**
 * A process to be killed: opens an engine on the file in argv[2], hands in the documents of argv[3] (JSON, path to text), prints each
 * extraction on stdout and hangs for ever in texts that hold the word HANG.
 */
const [, , stateFile, documents] = process.argv
const models = scriptedModels({
  onExtract: async ({ title, text }) => {
    process.stdout.write(`${text.includes('HANG') ? 'hanging' : 'extracting'} ${title}\n`)
    // A timer keeps the process alive; the promise never settles.
    if (text.includes('HANG')) await new Promise(() => setInterval(() => undefined, 60_000))
    return undefined
  },
})
const engine = createGraphEngine({
  stateFile: stateFile!,
  models,
  rerank: null,
  apiKey: null,
  limits: { chunkChars: 80, parallelDocuments: 1, parallelChunks: 1 },
})
for (const [filePath, text] of Object.entries(JSON.parse(documents!) as Record<string, string>)) {
  engine.insert([{ filePath, text, title: filePath }])
}
