import { z } from 'zod'

/** Largest number of nodes in one picture. */
export const GRAPH_PICTURE_MAX_NODES = 5000

const GraphPictureNode = z.strictObject({
  id: z.string(),
  label: z.string(),
  type: z.string(),
  /** Relations of the entity in the whole graph, also those that the picture leaves out. */
  degree: z.int().min(0),
  /** Number of its Louvain community; 0 is the largest. */
  community: z.int().min(0),
  description: z.string(),
})

const GraphPictureEdge = z.strictObject({
  source: z.string(),
  target: z.string(),
  weight: z.number(),
  keywords: z.array(z.string()),
})

/** `GET /graph?limit=`: a dataset's knowledge graph for drawing. `total_*` count the whole graph. */
export const GraphPicture = z.strictObject({
  nodes: z.array(GraphPictureNode),
  edges: z.array(GraphPictureEdge),
  communities: z.int().min(0),
  components: z.int().min(0),
  total_nodes: z.int().min(0),
  total_edges: z.int().min(0),
  truncated: z.boolean(),
})
export type GraphPicture = z.infer<typeof GraphPicture>
