import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'yaml'
import { z } from 'zod'
import { normalName } from '../../providers/platform/stores/graph-engine/resolution/names.ts'
import { extractGraph } from '../../providers/platform/models/builtin/extraction/extract-graph.ts'
import { PROJECT_ROOT } from '../helpers/project-root.ts'

const Labels = z.object({
  domains: z.record(
    z.string(),
    z.array(
      z.object({
        title: z.string(),
        text: z.string(),
        entities: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
      }),
    ),
  ),
})

export interface DomainScore {
  domain: string
  /** True when the rules were written without its passages. */
  heldBack: boolean
  precision: number
  recall: number
  f1: number
  /** Share of the entities that were found whose type is right. */
  typed: number
  wrong: string[]
  missed: string[]
}

/** The labelled passages that rules are written with, and those that they are only measured with. */
const FILES = [
  ['tests/data/extraction.yaml', false],
  ['tests/data/extraction-held-back.yaml', true],
] as const

/** The built-in extraction over labelled passages of several domains, by the names of the entities. */
export async function scoreDomains(): Promise<DomainScore[]> {
  const scores = FILES.map(async ([file, heldBack]) => {
    const { domains } = Labels.parse(parse(await readFile(join(PROJECT_ROOT, file), 'utf8')))
    return Object.entries(domains).map(([domain, passages]) => ({ heldBack, ...scoreDomain(domain, passages) }))
  })
  return (await Promise.all(scores)).flat()
}

type Passages = z.infer<typeof Labels>['domains'][string]

function scoreDomain(domain: string, passages: Passages): Omit<DomainScore, 'heldBack'> {
  const wrong: string[] = []
  const missed: string[] = []
  let found = 0
  let typed = 0
  for (const { title, text, entities } of passages) {
    const labelled = new Map(Object.entries(entities).map(([name, types]) => [normalName(name), { name, types }]))
    const extracted = new Map(extractGraph({ title, text }).entities.map((entity) => [normalName(entity.name), entity]))
    for (const [id, { name, type }] of extracted) {
      const label = labelled.get(id)
      if (label === undefined) wrong.push(name)
      else {
        found += 1
        if ([label.types].flat().includes(type)) typed += 1
      }
    }
    for (const [id, { name }] of labelled) if (!extracted.has(id)) missed.push(name)
  }
  const precision = found / Math.max(1, found + wrong.length)
  const recall = found / Math.max(1, found + missed.length)
  const f1 = precision + recall === 0 ? 0 : (2 * precision * recall) / (precision + recall)
  return { domain, precision, recall, f1, typed: typed / Math.max(1, found), wrong, missed }
}
