import { beir } from './beir.ts'
import { folder } from './folder.ts'
import { graphragBench } from './graphrag-bench.ts'
import { hotpotqa, twoWikiMultiHopQa } from './hotpotqa.ts'
import type { Importer } from './importer.ts'
import { multihopRag } from './multihop-rag.ts'
import { musique } from './musique.ts'
import { squad } from './squad.ts'

/** Every format that can be imported, in the order in which a source is recognized: the most particular first. */
export const IMPORTERS: readonly Importer[] = [
  beir,
  twoWikiMultiHopQa,
  hotpotqa,
  musique,
  multihopRag,
  graphragBench,
  squad,
  folder,
]
