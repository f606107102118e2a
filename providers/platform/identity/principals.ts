/** Named service credentials and the variable that each comes from. */
export const SERVICE_TOKEN_VARIABLES = {
  /** Full operator. */
  operator: 'BACKEND_INTERNAL_API_TOKEN',
  workflow: 'BACKEND_WORKFLOW_API_TOKEN',
  notebook: 'BACKEND_NOTEBOOK_API_TOKEN',
  chatui: 'BACKEND_CHATUI_API_TOKEN',
  ray: 'RAY_JOB_API_TOKEN',
  rerank_adapter: 'GRAPHENGINE_RERANK_ADAPTER_TOKEN',
  asset_worker: 'ASSET_WORKER_API_TOKEN',
  asset_baker: 'ASSET_BAKER_API_TOKEN',
  /** Key of the model gateway's clients. */
  gateway: 'GATEWAY_MASTER_KEY',
} as const

export type ServicePrincipal = keyof typeof SERVICE_TOKEN_VARIABLES

export const SERVICE_PRINCIPALS = Object.keys(SERVICE_TOKEN_VARIABLES) as ServicePrincipal[]

/** The owner of a credential: a named service, or a person by a verified user token. */
export type Principal = ServicePrincipal | 'user'

/** The sender of a request, as far as the bearer credential identifies it. */
export type Caller =
  | { kind: 'anonymous' }
  /** A credential that is none of ours. */
  | { kind: 'stranger' }
  /** A user token, while no secret is configured that could verify it. */
  | { kind: 'unverifiable' }
  /** A token that several variables share counts for all of them. `subject`: the user's, where the credential is a user token. */
  | { kind: 'known'; principals: ReadonlySet<Principal>; subject?: string }
