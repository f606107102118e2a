/** Words of a passage in lower case, as gold facts are compared with texts: punctuation and layout carry no evidence. */
export function evidenceWords(text: string): string[] {
  return (
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  )
}
