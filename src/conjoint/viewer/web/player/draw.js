"use strict";
// Draws frames of a recorded motion with WebGL 2. Lighting is that of conjoint/render/shaders.py.

const VERTEX = `#version 300 es
precision highp float;
layout(location = 0) in vec3 in_position;
layout(location = 1) in vec3 in_normal;
layout(location = 2) in vec2 in_texcoord;
layout(location = 3) in vec3 origin;
layout(location = 4) in vec4 quat;
layout(location = 5) in vec3 scale;
layout(location = 6) in vec4 color;
layout(location = 7) in vec4 material;
layout(location = 8) in vec4 tiling;
uniform mat4 seen;
uniform vec3 eye;
out vec3 world, normal, local, across;
out vec2 texcoord;
flat out vec4 tint, finish;
vec3 turned(vec4 q, vec3 v) { return v + 2.0 * cross(q.yzw, cross(q.yzw, v) + q.x * v); }
void main() {
  vec4 q = normalize(quat);
  world = origin + turned(q, in_position * scale);
  normal = turned(q, in_normal / max(abs(scale), vec3(1e-9)) * sign(scale));
  local = (in_position + vec3(0.0, 0.0, tiling.w)) * tiling.xyz;
  texcoord = in_texcoord * tiling.xy;
  across = turned(vec4(q.x, -q.yzw), world - eye);
  tint = color;
  finish = material;
  gl_Position = seen * vec4(world, 1.0);
}`;

const SHADE = `
float reach_of(highp sampler2DShadow map, mat4 from, vec3 n, vec3 l) {
  vec4 place = from * vec4(world + grain * (n * (1.5 - dot(n, l)) + l), 1.0);
  vec3 p = place.xyz / place.w * 0.5 + 0.5;
  if (place.w <= 0.0 || any(lessThan(p, vec3(0.0))) || any(greaterThan(p, vec3(1.0)))) return 1.0;
  // sixteen samples, each the mean of four: the rim of a shadow is soft
  float sum = 0.0, texel = 1.1 / float(textureSize(map, 0).x);
  for (int i = 0; i < 16; i++)
    sum += texture(map, vec3(p.xy + texel * (vec2(i & 3, i >> 2) - 1.5), p.z));
  return sum / 16.0;
}`;

const HAZE = `
  float away = length(across.xy);
  if (away > reach) discard;
  float height = abs(across.z), begins = (1.0 - haze.w) * reach, part = max(haze.w, 1.0 - haze.w);
  float slope = height / max(away, 1e-9);
  float along = height - slope * begins, whole = height * (1.0 - part) + slope * (part * reach - begins);
  pixel.rgb = mix(pixel.rgb, haze.rgb, clamp(along / max(whole, 1e-9), 0.0, 1.0));`;

const FOG = `
  pixel.rgb = mix(pixel.rgb, fog_color, clamp((distance(eye, world) - fog_range.x) / (fog_range.y - fog_range.x), 0.0, 1.0));`;

// mappings of a texture onto a shape, as conjoint/render/shaders.py numbers them
const COVER = ["", "* texture(image, texcoord)", "* texture(image, local.xy + 0.5)", "* texture(cube, local)"];

const SKY_VERTEX = `#version 300 es
precision highp float;
layout(location = 0) in vec3 in_position;
uniform mat4 back;
out vec3 direction;
void main() {
  vec4 far = back * vec4(in_position.xy, 1.0, 1.0);
  direction = far.xyz / far.w;
  gl_Position = vec4(in_position.xy, 1.0, 1.0);
}`;

const SKY_FRAGMENT = `#version 300 es
precision highp float;
in vec3 direction;
uniform samplerCube cube;
uniform bool textured;
uniform vec4 haze;
uniform float haze_slope;
out vec4 pixel;
void main() {
  vec3 d = normalize(direction);
  vec3 plain = mix(haze.rgb, vec3(0.45, 0.62, 0.80), pow(max(d.z, 0.0), 0.7));
  pixel = vec4(textured ? texture(cube, vec3(d.x, d.z, -d.y)).rgb : plain, 1.0);
  float slope = d.z / max(length(d.xy), 1e-9);
  if (haze_slope > 0.0 && slope < 0.0) {
    float low = min(-slope / haze_slope, 1.0);
    pixel.rgb = mix(pixel.rgb, haze.rgb, (1.0 + haze.w) * low / (1.0 + haze.w * low));
  }
}`;

const DEPTH_FRAGMENT = "#version 300 es\nvoid main() {}";
const MAPS = 2, MAP_SIDE = 2048, DYNAMIC = 10, STATIC = 12, WIDTH = 11;
const UNMOVED = new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1]);

// ---- vectors and matrices (by columns)

const add = (a, b, s = 1) => a.map((x, k) => x + s * b[k]);
const dot = (a, b) => a.reduce((sum, x, k) => sum + x * b[k], 0);
const unit = (a) => { const n = Math.sqrt(dot(a, a)) || 1; return a.map((x) => x / n); };
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];

function product(a, b) {
  const c = new Float64Array(16);
  for (let j = 0; j < 4; j++)
    for (let i = 0; i < 4; i++)
      for (let k = 0; k < 4; k++) c[4 * j + i] += a[4 * k + i] * b[4 * j + k];
  return c;
}

function look(pos, forward, up) {
  const right = unit(cross(forward, up)), above = cross(right, forward), axes = [right, above, forward.map((x) => -x)];
  const m = new Float64Array(16);
  for (let i = 0; i < 3; i++) {
    for (let j = 0; j < 3; j++) m[4 * j + i] = axes[i][j];
    m[12 + i] = -dot(axes[i], pos);
  }
  m[15] = 1;
  return m;
}

function perspective(height, aspect, near, far) {
  const f = 1 / height, m = new Float64Array(16);
  m[0] = f / aspect; m[5] = f; m[10] = -(far + near) / (far - near); m[11] = -1; m[14] = -2 * far * near / (far - near);
  return m;
}

function parallel(half, near, far) {
  const m = new Float64Array(16);
  m[0] = m[5] = 1 / half; m[10] = -2 / (far - near); m[14] = -(far + near) / (far - near); m[15] = 1;
  return m;
}

function turned(q, v) {
  const [w, ...u] = q, t = add(cross(u, v), v, w);
  return add(v, cross(u, t), 2);
}

// ---- recorded motion

class Recording {
  constructor(buffer) {
    const size = new DataView(buffer).getUint32(0, true);
    Object.assign(this, JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, size))));
    this.buffer = buffer;
    this.start = 4 + size;
  }

  array(i) {
    const [kind, at, length] = this.arrays[i];
    const type = { f4: Float32Array, u4: Uint32Array, u1: Uint8Array, i1: Int8Array }[kind];
    return new type(this.buffer, this.start + at, length);
  }
}

class Columns {
  constructor(recording, spec) {
    this.low = recording.array(spec.low);
    this.step = recording.array(spec.step);
    this.count = recording.count;
    const change = recording.array(spec.change), size = this.low.length * this.count;
    this.level = new Uint16Array(size);
    for (let c = 0, k = 0; c < this.low.length; c++)
      for (let t = 0, level = 0; t < this.count; t++, k++)
        this.level[k] = level = (level + change[k] + 256 * change[size + k]) & 65535;
  }

  // interpolates the columns between two frames, and writes column c to `out[places[c]]`
  at(frame, out, places) {
    const a = Math.min(Math.floor(frame), this.count - 1), b = Math.min(a + 1, this.count - 1), s = frame - a;
    for (let c = 0; c < this.low.length; c++) {
      const at = c * this.count, level = this.level[at + a] * (1 - s) + this.level[at + b] * s;
      out[places ? places[c] : c] = this.low[c] + this.step[c] * level;
    }
    return out;
  }
}

// ---- instances of a shape with the same appearance

class Batch {
  constructor(painter, look, shape) {
    this.painter = painter;
    this.look = look;
    this.shape = shape;
    this.parts = [];
  }

  add(node, part) {
    this.parts.push({ node, part });
  }

  prepare() {
    const gl = this.painter.gl, fixed = new Float32Array(STATIC * this.parts.length);
    this.parts.forEach(({ node, part: [, , , along, back] }, k) => {
      const sign = back ? -1 : 1, [x, y, z] = node.tiling;
      fixed.set([...node.color, ...node.material, x, sign * y, sign * z, sign * along], STATIC * k);
    });
    this.rows = new Float32Array(DYNAMIC * this.parts.length);
    this.dynamic = gl.createBuffer();
    this.array = gl.createVertexArray();
    gl.bindVertexArray(this.array);
    this.painter.bindShape(this.shape);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.dynamic);
    gl.bufferData(gl.ARRAY_BUFFER, this.rows.byteLength, gl.DYNAMIC_DRAW);
    this.painter.attributes(3, [3, 4, 3], DYNAMIC);
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, fixed, gl.STATIC_DRAW);
    this.painter.attributes(6, [4, 4, 4], STATIC);
    gl.bindVertexArray(null);
  }

  place(state) {
    this.parts.forEach(({ node, part: [, axes, factor, along, back] }, k) => {
      const at = WIDTH * node.index, p = state.subarray(at, at + 3), q = state.subarray(at + 3, at + 7);
      const size = state.subarray(at + 7, at + 10), whole = !factor.some(Boolean), row = DYNAMIC * k;
      const origin = along ? add([...p], turned([...q], [0, 0, along * size[2]])) : p;
      this.rows.set(origin, row);
      this.rows.set(q, row + 3);
      for (let i = 0; i < 3; i++) {
        const scale = whole ? 1 : size[axes[i]] * factor[i];
        this.rows[row + 7 + i] = state[at + 10] > 0.999 ? (back && i ? -scale : scale) : 0;
      }
    });
    const gl = this.painter.gl;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.dynamic);
    gl.bufferSubData(gl.ARRAY_BUFFER, 0, this.rows);
  }

  draw() {
    const gl = this.painter.gl;
    gl.bindVertexArray(this.array);
    gl.drawElementsInstanced(this.look.unlit ? gl.LINES : gl.TRIANGLES, this.shape.count, gl.UNSIGNED_INT, 0, this.parts.length);
  }
}

// a cloth, a soft body or a skin: its vertices move, and its normals are recomputed
class Soft {
  constructor(painter, spec) {
    const gl = painter.gl, recording = painter.recording;
    this.columns = new Columns(recording, spec.columns);
    this.faces = recording.array(spec.faces);
    this.points = new Float32Array(this.columns.low.length);
    this.normals = new Float32Array(this.points.length);
    this.shape = { points: gl.createBuffer(), normals: gl.createBuffer(), faces: gl.createBuffer(), count: this.faces.length, wide: true };
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.shape.faces);
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, this.faces, gl.STATIC_DRAW);
    this.shape.texcoords = painter.buffer(recording.array(spec.texcoords));
    this.gl = gl;
  }

  place(frame) {
    const { faces, normals, points, gl } = this;
    this.columns.at(frame, points);
    normals.fill(0);
    for (let f = 0; f < faces.length; f += 3) {
      const [a, b, c] = [3 * faces[f], 3 * faces[f + 1], 3 * faces[f + 2]];
      const ux = points[b] - points[a], uy = points[b + 1] - points[a + 1], uz = points[b + 2] - points[a + 2];
      const vx = points[c] - points[a], vy = points[c + 1] - points[a + 1], vz = points[c + 2] - points[a + 2];
      const nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
      for (const at of [a, b, c]) { normals[at] += nx; normals[at + 1] += ny; normals[at + 2] += nz; }
    }
    for (let k = 0; k < normals.length; k += 3) {
      const n = Math.hypot(normals[k], normals[k + 1], normals[k + 2]) || 1;
      for (let i = k; i < k + 3; i++) normals[i] /= n;
    }
    for (const [buffer, data] of [[this.shape.points, points], [this.shape.normals, normals]]) {
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.bufferData(gl.ARRAY_BUFFER, data, gl.DYNAMIC_DRAW);
    }
  }
}

class Painter {
  constructor(canvas, recording) {
    const gl = canvas.getContext("webgl2", { antialias: true, alpha: false, powerPreference: "high-performance" });
    if (!gl) throw new Error("This page needs WebGL 2.");
    this.gl = gl;
    this.canvas = canvas;
    this.recording = recording;
    this.state = recording.array(recording.first).slice();
    this.moving = recording.array(recording.moving);
    this.columns = new Columns(recording, recording.columns);
    this.textured = Boolean(recording.sky);
    if (!this.textured) recording.haze = { width: 0.35, color: [0.93, 0.95, 0.97] };
    this.smooth = gl.getExtension("EXT_texture_filter_anisotropic");
    this.shapes = new Map(Object.entries(recording.shapes).map(([name, spec]) => [name, this.shape(spec)]));
    this.textures = new Map(Object.entries(recording.textures).map(([i, spec]) => [Number(i), this.texture(spec)]));
    this.sky = { texture: this.textured ? this.texture(recording.sky) : null, program: this.program(SKY_VERTEX, SKY_FRAGMENT) };
    this.depth = this.program(VERTEX, DEPTH_FRAGMENT);
    this.programs = new Map();
    this.soft = recording.soft.map((spec) => ({ ...spec, body: new Soft(this, spec) }));
    this.batches = this.collect();
    this.triangle = gl.createVertexArray();
    gl.bindVertexArray(this.triangle);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer(new Float32Array([-1, -1, 0, 3, -1, 0, -1, 3, 0])));
    this.attributes(0, [3], 3, 0);
    gl.bindVertexArray(null);
    this.lights = recording.lights.map((light) => ({ ...light, dir: unit(light.dir), map: -1 }));
    const casting = this.lights.filter((light) => recording.shadows && light.castshadow && !light.headlight && (light.directional || light.cone));
    this.maps = casting.slice(0, MAPS).map((light, k) => { light.map = k; return this.shadowMap(light); });
    this.bound = this.boundary();
  }

  // ---- preparing

  buffer(data, target = this.gl.ARRAY_BUFFER) {
    const made = this.gl.createBuffer();
    this.gl.bindBuffer(target, made);
    this.gl.bufferData(target, data, this.gl.STATIC_DRAW);
    return made;
  }

  shape(spec) {
    const faces = this.recording.array(spec.faces);
    return {
      points: this.buffer(this.recording.array(spec.points)),
      normals: this.buffer(this.recording.array(spec.normals)),
      texcoords: "texcoords" in spec ? this.buffer(this.recording.array(spec.texcoords)) : null,
      faces: this.buffer(faces, this.gl.ELEMENT_ARRAY_BUFFER),
      count: faces.length,
    };
  }

  bindShape(shape) {
    const gl = this.gl;
    gl.bindBuffer(gl.ARRAY_BUFFER, shape.points);
    this.attributes(0, [3], 3, 0);
    gl.bindBuffer(gl.ARRAY_BUFFER, shape.normals);
    gl.enableVertexAttribArray(1);
    gl.vertexAttribPointer(1, 3, shape.wide ? gl.FLOAT : gl.BYTE, !shape.wide, 0, 0);
    if (shape.texcoords) {
      gl.bindBuffer(gl.ARRAY_BUFFER, shape.texcoords);
      this.attributes(2, [2], 2, 0);
    }
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, shape.faces);
  }

  attributes(first, sizes, stride, divisor = 1) {
    const gl = this.gl;
    let at = 0;
    sizes.forEach((size, k) => {
      gl.enableVertexAttribArray(first + k);
      gl.vertexAttribPointer(first + k, size, gl.FLOAT, false, 4 * stride, 4 * at);
      gl.vertexAttribDivisor(first + k, divisor);
      at += size;
    });
  }

  texture({ pixels, width, height, channels, cube }) {
    const gl = this.gl, data = this.recording.array(pixels), made = gl.createTexture();
    const target = cube ? gl.TEXTURE_CUBE_MAP : gl.TEXTURE_2D, format = channels === 4 ? gl.RGBA : gl.RGB;
    gl.bindTexture(target, made);
    gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
    const side = cube ? height / 6 : height;
    for (let face = 0; face < (cube ? 6 : 1); face++) {
      const rows = data.subarray(face * side * width * channels, (face + 1) * side * width * channels);
      gl.texImage2D(cube ? gl.TEXTURE_CUBE_MAP_POSITIVE_X + face : target, 0, format, width, side, 0, format, gl.UNSIGNED_BYTE, rows);
    }
    gl.generateMipmap(target);
    gl.texParameteri(target, gl.TEXTURE_MIN_FILTER, gl.LINEAR_MIPMAP_LINEAR);
    if (this.smooth) gl.texParameteri(target, this.smooth.TEXTURE_MAX_ANISOTROPY_EXT, 8);
    return { target, made };
  }

  shadowMap(light) {
    const gl = this.gl, made = gl.createTexture(), frame = gl.createFramebuffer();
    gl.bindTexture(gl.TEXTURE_2D, made);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, MAP_SIDE, MAP_SIDE);
    for (const [name, value] of [["MIN_FILTER", "LINEAR"], ["MAG_FILTER", "LINEAR"], ["COMPARE_MODE", "COMPARE_REF_TO_TEXTURE"], ["WRAP_S", "CLAMP_TO_EDGE"], ["WRAP_T", "CLAMP_TO_EDGE"]])
      gl.texParameteri(gl.TEXTURE_2D, gl[`TEXTURE_${name}`], gl[value]);
    gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, made, 0);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    return { light, made, frame };
  }

  collect() {
    const found = new Map();
    this.labels = [];
    this.recording.nodes.forEach((node, index) => {
      node.index = index;
      if ("label" in node) { this.labels.push(node); return; }
      const clear = node.color[3] < 1;
      for (const part of node.parts) {
        const look = { texture: node.texture, mapping: node.mapping, hazy: node.hazy, endless: node.endless, unlit: Boolean(node.material[3]), clear, plane: node.plane };
        const key = JSON.stringify([part[0], look, clear || node.plane ? index : 0]);
        if (!found.has(key)) found.set(key, new Batch(this, look, this.shapes.get(part[0])));
        found.get(key).add(node, part);
      }
    });
    for (const soft of this.soft) {
      const look = { texture: soft.texture, mapping: soft.mapping, clear: soft.color[3] < 1, soft: soft.body };
      const batch = new Batch(this, look, soft.body.shape);
      batch.add({ ...soft, index: 0 }, ["", [0, 1, 2], [0, 0, 0], 0, 0]);
      found.set(JSON.stringify(["soft", found.size]), batch);
    }
    for (const batch of found.values()) batch.prepare();
    return [...found.values()];
  }

  // the bounding sphere of everything but planes in the first frame
  boundary() {
    const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
    for (const node of this.recording.nodes) {
      if (node.plane || "label" in node) continue;
      const at = WIDTH * node.index, reach = Math.min(Math.max(...this.state.subarray(at + 7, at + 10)), this.recording.extent);
      for (let i = 0; i < 3; i++) {
        low[i] = Math.min(low[i], this.state[at + i] - reach);
        high[i] = Math.max(high[i], this.state[at + i] + reach);
      }
    }
    return low[0] > high[0] ? this.recording.extent : Math.hypot(...high.map((x, i) => x - low[i])) / 2;
  }

  program(vertex, fragment) {
    const gl = this.gl, made = gl.createProgram();
    for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
      gl.attachShader(made, shader);
    }
    gl.linkProgram(made);
    const places = new Map();
    const place = (name) => { if (!places.has(name)) places.set(name, gl.getUniformLocation(made, name)); return places.get(name); };
    return { made, place };
  }

  // the shader program for an appearance; the loop over lights is unrolled
  lit(look) {
    const key = JSON.stringify([look.mapping, Boolean(look.hazy), look.unlit]);
    if (!this.programs.has(key)) this.programs.set(key, this.program(VERTEX, this.fragment(look)));
    return this.programs.get(key);
  }

  fragment(look) {
    const n = Math.max(this.lights.length, 1), names = ["pos", "dir", "ambient", "diffuse", "specular", "attenuation"];
    const each = (light, k) => `{
    vec3 l = -light_dir[${k}]; float strength = 1.0;
    ${light.directional ? "" : `vec3 away = light_pos[${k}] - world; float range = length(away);
    l = away / max(range, 1e-9);
    strength /= max(dot(light_attenuation[${k}], vec3(1.0, range, range * range)), 1e-9);`}
    ${light.cone ? `float along = dot(-l, light_dir[${k}]);
    strength *= along < light_cone[${k}].x ? 0.0 : pow(max(along, 0.0), light_cone[${k}].y);` : ""}
    float facing = max(dot(n, l), 0.0);
    float glint = facing > 0.0 ? pow(max(dot(n, normalize(l + seen_from)), 0.0), gloss) : 0.0;
    vec3 dim = strength * light_ambient[${k}] * tint.rgb;
    vec3 lit = strength * (light_diffuse[${k}] * tint.rgb * facing + light_specular[${k}] * finish.y * glint);
    ${light.map < 0 ? "total += dim + lit;" : `total += clamp(dim + lit * reach_of(map${light.map}, from${light.map}, n, l), 0.0, 1.0);`}
  }`;
    const order = this.lights.map((light, k) => [light, k]).sort((a, b) => a[0].map - b[0].map);
    const together = order.filter(([light]) => light.map < 0).map((pair) => each(...pair)).join("\n");
    const alone = order.filter(([light]) => light.map >= 0).map((pair) => each(...pair)).join("\n");
    const maps = this.maps.map((_, k) => `uniform highp sampler2DShadow map${k};\nuniform mat4 from${k};`).join("\n");
    return `#version 300 es
precision highp float;
in vec3 world, normal, local, across;
in vec2 texcoord;
flat in vec4 tint, finish;
uniform vec3 ${names.map((name) => `light_${name}[${n}]`).join(", ")};
uniform vec2 light_cone[${n}];
uniform vec3 eye;
uniform vec4 haze;
uniform float reach, grain, fade;
uniform vec3 fog_color;
uniform vec2 fog_range;
uniform sampler2D image;
uniform samplerCube cube;
${maps}
out vec4 pixel;
${SHADE}
void main() {
  vec3 n = normalize(normal), total = finish.x * tint.rgb, seen_from = normalize(eye - world);
  float gloss = max(finish.z * 128.0, 1e-3);
  ${look.unlit ? "total = tint.rgb;" : `${together}\n  total = clamp(total, 0.0, 1.0);\n${alone}`}
  pixel = vec4(total, tint.a * fade) ${COVER[look.mapping || 0]};
  ${look.hazy ? HAZE : ""}
  ${this.recording.fog && !look.unlit ? FOG : ""}
}`;
  }

  // ---- drawing

  // draws `frame` (fractions interpolate between frames) from a camera: eye, forward, up, target, distance, fovy
  draw(frame, camera) {
    const gl = this.gl, { width, height } = this.canvas;
    if (frame !== this.frame) {
      this.columns.at(frame, this.state, this.moving);
      for (const { body } of this.soft) body.place(frame);
      for (const batch of this.batches) batch.place(batch.look.soft ? UNMOVED : this.state);
      this.frame = frame;
    }
    for (const light of this.lights) if (light.headlight) { light.pos = camera.eye; light.dir = camera.forward; }
    this.maps.forEach((map) => this.drawShadows(map, camera));
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.viewport(0, 0, width, height);
    gl.clear(gl.DEPTH_BUFFER_BIT | gl.COLOR_BUFFER_BIT);
    const near = Math.max(this.recording.near, 0.03 * camera.distance), far = this.recording.far + camera.distance;
    const projection = perspective(Math.tan(camera.fovy * Math.PI / 360), width / height, near, far);
    const seen = product(projection, look(camera.eye, camera.forward, camera.up));
    this.reach = Math.SQRT1_2 * this.recording.far;
    gl.enable(gl.DEPTH_TEST);
    gl.depthFunc(gl.LEQUAL);
    gl.disable(gl.BLEND);
    const solid = [], clear = [];
    for (const batch of this.batches) {
      batch.fade = batch.look.plane && this.below(batch, camera) ? 0.3 : 1;
      (batch.look.clear || batch.fade < 1 ? clear : solid).push(batch);
    }
    for (const batch of solid) this.drawBatch(batch, seen, camera);
    this.drawSky(camera, projection);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    gl.depthMask(false);
    const away = (batch) => batch.fade < 1 ? 1e9 : Math.hypot(...add(camera.eye, [...batch.rows.subarray(0, 3)], -1));
    for (const batch of clear.sort((a, b) => away(b) - away(a))) this.drawBatch(batch, seen, camera);
    gl.depthMask(true);
    this.seen = seen;
  }

  below(batch, camera) {
    const at = WIDTH * batch.parts[0].node.index, normal = turned([...this.state.subarray(at + 3, at + 7)], [0, 0, 1]);
    return dot(add(camera.eye, [...this.state.subarray(at, at + 3)], -1), normal) < 0;
  }

  drawShadows(map, camera) {
    const gl = this.gl, { light } = map, { extent } = this.recording;
    if (light.directional) {
      const half = Math.min(Math.max(this.bound, 0.3 * camera.distance), Math.max(1.6 * camera.distance, 0.2 * extent));
      // the shadow map moves by whole texels; otherwise, shadow edges would flicker
      const side = unit(cross(light.dir, Math.abs(light.dir[2]) > 0.9 ? [1, 0, 0] : [0, 0, 1])), above = cross(side, light.dir);
      const snap = (axis) => { const x = dot(camera.target, axis), texel = 2 * half / MAP_SIDE; return Math.round(x / texel) * texel - x; };
      const middle = add(add(camera.target, side, snap(side)), above, snap(above)), depth = 3 * half + this.bound;
      map.from = product(parallel(half, 0, 2 * depth), look(add(middle, light.dir, -depth), light.dir, above));
      map.grain = 2 * half / MAP_SIDE;
    } else {
      const angle = Math.min(light.cutoff, 80) * this.recording.shadowscale * Math.PI / 180;
      const away = Math.hypot(...add(camera.target, light.pos, -1));
      const up = Math.abs(light.dir[2]) > 0.9 ? [1, 0, 0] : [0, 0, 1];
      map.from = product(perspective(Math.tan(angle), 1, 0.05 * away, 4 * away + extent), look(light.pos, light.dir, up));
      map.grain = 2 * away * Math.tan(angle) / MAP_SIDE;
    }
    gl.bindFramebuffer(gl.FRAMEBUFFER, map.frame);
    gl.viewport(0, 0, MAP_SIDE, MAP_SIDE);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST);
    gl.disable(gl.BLEND);
    gl.enable(gl.POLYGON_OFFSET_FILL);
    gl.polygonOffset(2, 4);
    gl.useProgram(this.depth.made);
    gl.uniformMatrix4fv(this.depth.place("seen"), false, map.from);
    for (const batch of this.batches) if (!batch.look.endless && !batch.look.unlit && !batch.look.clear) batch.draw();
    gl.disable(gl.POLYGON_OFFSET_FILL);
  }

  drawBatch(batch, seen, camera) {
    const gl = this.gl, { made, place } = this.lit(batch.look), { haze } = this.recording;
    gl.useProgram(made);
    gl.uniformMatrix4fv(place("seen"), false, seen);
    gl.uniform3fv(place("eye"), camera.eye);
    gl.uniform4f(place("haze"), ...haze.color, haze.width);
    if (this.recording.fog) {
      gl.uniform3fv(place("fog_color"), this.recording.fog.color);
      gl.uniform2fv(place("fog_range"), this.recording.fog.range);
    }
    gl.uniform1f(place("reach"), this.reach);
    gl.uniform1f(place("fade"), batch.fade);
    gl.uniform1f(place("grain"), this.maps.length ? this.maps[0].grain : 0);
    for (const name of ["pos", "dir", "ambient", "diffuse", "specular", "attenuation"])
      if (this.lights.length) gl.uniform3fv(place(`light_${name}`), this.lights.flatMap((light) => [...light[name]]));
    if (this.lights.length) gl.uniform2fv(place("light_cone"), this.lights.flatMap((light) => [Math.cos(light.cutoff * Math.PI / 180), light.exponent]));
    gl.uniform1i(place("image"), 0);
    gl.uniform1i(place("cube"), 1);
    this.maps.forEach((map, k) => {
      gl.activeTexture(gl.TEXTURE2 + k);
      gl.bindTexture(gl.TEXTURE_2D, map.made);
      gl.uniform1i(place(`map${k}`), 2 + k);
      gl.uniformMatrix4fv(place(`from${k}`), false, map.from);
    });
    const texture = this.textures.get(batch.look.texture);
    if (texture) {
      gl.activeTexture(texture.target === gl.TEXTURE_2D ? gl.TEXTURE0 : gl.TEXTURE1);
      gl.bindTexture(texture.target, texture.made);
    }
    batch.draw();
  }

  drawSky(camera, projection) {
    const gl = this.gl, { made, place } = this.sky.program, { haze } = this.recording;
    gl.useProgram(made);
    const right = unit(cross(camera.forward, camera.up)), above = cross(right, camera.forward);
    const [x, y] = [1 / projection[0], 1 / projection[5]];
    // converts corners of the picture to view directions
    const back = [...right.map((v) => v * x), 0, ...above.map((v) => v * y), 0, 0, 0, 0, 0, ...camera.forward, 1];
    gl.uniformMatrix4fv(place("back"), false, back);
    gl.uniform4f(place("haze"), ...haze.color, haze.width);
    gl.uniform1i(place("textured"), this.textured);
    gl.uniform1i(place("cube"), 1);
    const floor = this.batches.find((batch) => batch.look.hazy);
    const height = floor ? camera.eye[2] - floor.rows[2] : 0;
    gl.uniform1f(place("haze_slope"), Math.max(height, 0) / this.reach);
    if (this.textured) {
      gl.activeTexture(gl.TEXTURE1);
      gl.bindTexture(gl.TEXTURE_CUBE_MAP, this.sky.texture.made);
    }
    gl.bindVertexArray(this.triangle);
    gl.drawArrays(gl.TRIANGLES, 0, 3);
  }
}
