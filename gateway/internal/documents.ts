import type { EntryAnswer } from '../listeners/entry-page.js'
import type { StaticFiles } from '../listeners/static-files.js'
import { refusal } from './errors.js'
import { type AnyRequest, type AnyResponse, refuseCall, sendPage } from './response.js'

export interface Documents {
  readonly docs: StaticFiles
  readonly entry: (accept: string | undefined) => Promise<EntryAnswer>
  readonly json: Readonly<Record<string, Uint8Array>>
}

/** Answers GET and HEAD of a document; false: there is none at this path. */
export async function sendDocument(
  request: AnyRequest,
  response: AnyResponse,
  { path, documents }: { readonly path: string; readonly documents: Documents },
): Promise<boolean> {
  const json = Object.hasOwn(documents.json, path) ? documents.json[path] : undefined
  if (json !== undefined) sendPage(response, 200, 'application/json', json)
  else if (path === '/') {
    const { contentType, body, headers } = await documents.entry(request.headers.accept)
    sendPage(response, 200, contentType, body, headers)
  } else if (path === '/docs' || path.startsWith('/docs/')) {
    const found = documents.docs.find(path, request.headers)
    if (found === null) refuseCall(request, response, refusal('UNIMPLEMENTED', 'no such page'))
    else sendPage(response, found.status, found.contentType, found.body, found.headers)
  } else return false
  return true
}
