import * as nodeModule from 'node:module'

/** The next start takes compiled code from the cache. Called before anything heavy is imported. An Electron with a Node before 22 has none. */
export function useCompileCache(): void {
  const { enableCompileCache } = nodeModule as Partial<typeof nodeModule>
  enableCompileCache?.()
}
