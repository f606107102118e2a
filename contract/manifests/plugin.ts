import { z } from 'zod'
import { Identifier, SafeRelativePath } from '../common.ts'

/** The plugin that answers the aliases: part of this program. */
export const RAG_PLUGIN_ROOT = 'providers/platform/rag'
/** Name of the manifest in a plugin's folder. */
export const PLUGIN_FILE = 'plugin.yaml'
const PLUGIN_MANIFEST_VERSION = 1

const SEGMENT = '[A-Za-z0-9][A-Za-z0-9_-]*'
const Prefix = z
  .string()
  .max(64)
  .regex(new RegExp(`^(?:/${SEGMENT})+$`), 'expected a path such as /batch, without a slash at its end')
/** `POST /questions/:id`; the path is below the prefix of its router. */
const DeclaredRoute = z
  .string()
  .max(200)
  .regex(
    new RegExp(`^(?:GET|POST|PUT|PATCH|DELETE) (?:/:?${SEGMENT})+$`),
    'expected a method and a path such as POST /questions/:id',
  )

/** Who may use the routes of a router: callers with an identity, callers with the key of the edge, or everyone. */
export const PluginAuth = z.enum(['open', 'key-auth', 'inherit'])
export type PluginAuth = z.infer<typeof PluginAuth>

export const PluginRouter = z.strictObject({
  prefix: Prefix,
  auth: PluginAuth.default('inherit'),
  routes: z
    .array(DeclaredRoute)
    .min(1)
    .max(100)
    .refine((routes) => new Set(routes).size === routes.length, 'expected each route once'),
})
export type PluginRouter = z.infer<typeof PluginRouter>

/** `plugin.yaml` in the folder of a plugin: validated before its module is imported. */
export const PluginManifest = z.strictObject({
  plugin_manifest_version: z.literal(PLUGIN_MANIFEST_VERSION),
  name: Identifier,
  description: z.string().max(500).default(''),
  /** The module, below the plugin's folder, that exports `registerPlugin`. */
  entry: SafeRelativePath.refine((path) => /\.(?:m?js|ts)$/.test(path), 'expected a .js, .mjs or .ts file'),
  routers: z
    .array(PluginRouter)
    .min(1)
    .max(20)
    .refine(
      (routers) => new Set(routers.map(({ prefix }) => prefix)).size === routers.length,
      'expected each prefix once',
    ),
  /** Environment variables that it may read; it gets no other. */
  env: z
    .array(z.string().regex(/^PLUGIN_[A-Z0-9_]{1,60}$/, 'expected a name that starts with PLUGIN_'))
    .max(50)
    .default([]),
})
export type PluginManifest = z.infer<typeof PluginManifest>
