/** Bytes of JSON that a list may take up in one answer, with room for what stands around it. */
const LIST_BYTES = 800_000

/** Items from `offset` on, as many as fit into an answer and at most `limit`; always one where there is one. */
export function pageOf<Item>(items: readonly Item[], offset: number, limit: number): Item[] {
  const page: Item[] = []
  let bytes = 0
  for (const item of items.slice(offset, offset + limit)) {
    bytes += Buffer.byteLength(JSON.stringify(item))
    if (bytes > LIST_BYTES && page.length > 0) break
    page.push(item)
  }
  return page
}
