/** Numbers out of the texts of a report. */

/** Bytes of a base64 text. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.trim());
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

/** Bytes of a raw deflate stream. */
export async function inflate(packed: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Numbers whose bytes stand sorted by significance, least significant first. */
export function joinPlanes(planes: Uint8Array): Float64Array<ArrayBuffer> {
  const count = Math.floor(planes.length / 8);
  const bytes = new Uint8Array(8 * count);
  for (let byte = 0; byte < 8; byte++) {
    const start = byte * count;
    for (let i = 0; i < count; i++) bytes[8 * i + byte] = planes[start + i]!;
  }
  return new Float64Array(bytes.buffer);
}

/** The numbers of a packed column. */
export async function unpack(text: string): Promise<Float64Array<ArrayBuffer>> {
  return joinPlanes(await inflate(fromBase64(text)));
}
