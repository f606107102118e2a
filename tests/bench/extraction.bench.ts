import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parse } from 'yaml'
import { z } from 'zod'
import { titleOf, splitDocument } from '../../providers/platform/stores/graph-engine/documents.ts'
import { DEFAULT_LIMITS } from '../../providers/platform/stores/graph-engine/graph-engine.ts'
import type { ExtractedChunk } from '../../providers/platform/stores/graph-engine/stored-graph.ts'
import { answerBuiltinChat } from '../../providers/platform/models/builtin/answer-chat.ts'
import { parseExtractReply, renderExtractTask } from '../../providers/platform/models/prompts/extract-task.ts'
import { mergeExtractions } from '../helpers/knowledge-graph.ts'
import { PROJECT_ROOT } from '../helpers/project-root.ts'
import { scoreDomains } from './extraction-domains.ts'
import type { DomainScore } from './extraction-domains.ts'
import { scoreExtraction } from './extraction-score.ts'
import type { ExtractionScores } from './extraction-score.ts'
import type { Figure } from './figure.ts'

export interface ExtractionBench extends ExtractionScores {
  documents: number
  /** Extraction alone, all documents. */
  extractMs: number
  mergeMs: number
  /** Entities of labelled passages, by domain. */
  domains: DomainScore[]
}

const TypedGraphFile = z.object({
  entities: z.array(
    z.object({ id: z.string(), name: z.string(), type: z.string(), aliases: z.array(z.string()).default([]) }),
  ),
  relations: z.array(
    z.object({ subject: z.string(), type: z.string(), object: z.string(), documents: z.array(z.string()).default([]) }),
  ),
})

/** The built-in extractor with the engine's merge over the relational rung, against the typed graph that the rung was written from. */
export async function benchExtraction(): Promise<ExtractionBench> {
  const folder = join(PROJECT_ROOT, 'corpus/graph_native')
  const typed = TypedGraphFile.parse(
    parse(await readFile(join(PROJECT_ROOT, 'corpus/graph_native.graph.yaml'), 'utf8')),
  )
  const files = (await readdir(folder)).filter((file) => file.endsWith('.md')).sort()
  const texts = await Promise.all(
    files.map(async (file) => ({ file, text: await readFile(join(folder, file), 'utf8') })),
  )
  const startMs = performance.now()
  const chunks = texts.flatMap(({ file, text }) => extractDocument(file, text))
  const extractedMs = performance.now()
  const merged = mergeExtractions(chunks, DEFAULT_LIMITS.descriptionsKept)
  return {
    documents: files.length,
    extractMs: extractedMs - startMs,
    mergeMs: performance.now() - extractedMs,
    ...scoreExtraction(merged, typed),
    domains: await scoreDomains(),
  }
}

function extractDocument(file: string, text: string): ExtractedChunk[] {
  const title = titleOf(text, file)
  return splitDocument(text, DEFAULT_LIMITS.chunkChars).map(({ index, content, tokens }) => {
    const reply = parseExtractReply(answerBuiltinChat(renderExtractTask({ title, text: content })).text)
    if (!reply.ok) throw new Error(`${file}: ${reply.message}`)
    return {
      id: `${file}#${index}`,
      documentId: file,
      filePath: file,
      title,
      index,
      tokens,
      content,
      extraction: reply.value,
    }
  })
}

/** The bench's figures with their targets. */
export function extractionFigures(bench: ExtractionBench): Figure[] {
  const figure = (id: string, what: string, value: number, least: number | null): Figure => ({
    id,
    what,
    value: Math.round(value * 1000) / 1000,
    unit: '',
    target: least === null ? '' : `>= ${least}`,
    met: least === null ? null : value >= least,
  })
  const { entities, relations, directedRelations: directed } = bench
  return [
    figure('graph-entity-f1', 'entity F1 of the built-in extractor on graph_native', entities.f1, 0.75),
    figure('graph-entity-precision', 'its entity precision', entities.precision, null),
    figure('graph-entity-recall', 'its entity recall', entities.recall, null),
    figure('graph-relation-f1', 'relation F1 by entity pair', relations.f1, 0.55),
    figure('graph-relation-precision', 'its relation precision', relations.precision, null),
    figure('graph-relation-recall', 'its relation recall', relations.recall, null),
    figure('graph-directed-f1', 'relation F1 with direction', directed.f1, null),
    ...bench.domains.flatMap(({ domain, heldBack, f1, typed }) => [
      figure('graph-domain-f1', `entity F1, ${heldBack ? 'held-back' : 'labelled'} passages: ${domain}`, f1, null),
      figure('graph-domain-type', `right types of those found${heldBack ? ', held back' : ''}: ${domain}`, typed, null),
    ]),
  ]
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const bench = await benchExtraction()
  for (const { what, value, target } of extractionFigures(bench)) console.log(`${what}: ${value} ${target}`)
  console.log(
    `${bench.documents} documents, ${Math.round(bench.extractMs)} ms to extract, ${Math.round(bench.mergeMs)} ms to merge`,
  )
  if (process.argv.includes('--details')) {
    for (const { domain, heldBack, wrong, missed } of bench.domains)
      if (!heldBack) console.log(JSON.stringify({ domain, wrong, missed }))
    const { wrongEntities, missedEntities, wrongRelations, missedRelations } = bench
    console.log(JSON.stringify({ wrongEntities, missedEntities, wrongRelations, missedRelations }, null, 1))
  }
}
