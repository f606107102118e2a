// LightRAG keeps only the last part of a source's path: two documents of the same name in different folders would be one to it. So a path
// is sent as a name without separators, in which `%2F` stands for `/`, `%5C` for `\` and `%25` for `%`.

/** The name under which a document of the corpus is known to the engine. */
export const sourceNameOf = (path: string): string => path.replace(/[%/\\]/g, (sign) => encodeURIComponent(sign))

/** The document of a name; a name that was not made by `sourceNameOf` is its own. */
export const documentOf = (name: string): string =>
  name.replace(/%(?:2F|5C|25)/g, (encoded) => decodeURIComponent(encoded))
